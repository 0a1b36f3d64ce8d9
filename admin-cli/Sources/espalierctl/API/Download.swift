import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A part of a large response.
enum DownloadPart: Sendable {
    case head(HTTPURLResponse)
    case data(Data)
}

extension APIClient {
    /// Sends a call whose response is a file. The stream ends with an error if the response is cut off.
    ///
    /// The request has no `TE: trailers`, because Foundation on Linux ends the whole program when a response has trailers.
    /// - Parameter lastEventID: the last event of an interrupted stream of events.
    func download(
        _ call: Call, accepting types: String = "*/*", lastEventID: String? = nil
    ) throws(Failure) -> AsyncThrowingStream<DownloadPart, any Error> {
        var request = try request(for: call, accepting: types)
        // The file arrives without another compression. The call itself states whether the file is compressed.
        request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        if let tag = call.entityTag { request.setValue(tag, forHTTPHeaderField: "If-Match") }
        if let lastEventID { request.setValue(lastEventID, forHTTPHeaderField: "Last-Event-ID") }
        return Self.receive(request)
    }

    /// Sends a request once, without a change. A redirect and every 401 count as responses.
    static func receive(_ request: URLRequest) -> AsyncThrowingStream<DownloadPart, any Error> {
        let (parts, continuation) = AsyncThrowingStream.makeStream(of: DownloadPart.self)
        let session = URLSession(configuration: .ephemeral, delegate: Receiver(continuation), delegateQueue: nil)
        let task = session.dataTask(with: request)
        continuation.onTermination = { _ in
            task.cancel()
            session.finishTasksAndInvalidate()
        }
        task.resume()
        return parts
    }
}

private final class Receiver: NSObject, URLSessionDataDelegate {
    private let parts: AsyncThrowingStream<DownloadPart, any Error>.Continuation

    init(_ parts: AsyncThrowingStream<DownloadPart, any Error>.Continuation) {
        self.parts = parts
    }

    /// Rejects the redirect, because a redirected request would send the API key to another address.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    /// A 401 with `WWW-Authenticate: Basic` ends here, because the response is complete.
    ///
    /// Foundation on Linux never ends such a task with its default handling. It loses the response if the challenge is rejected.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard challenge.failureResponse != nil else { return completionHandler(.performDefaultHandling, nil) }
        parts.finish()
        completionHandler(.cancelAuthenticationChallenge, nil)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if let response = response as? HTTPURLResponse { parts.yield(.head(response)) }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        parts.yield(.data(data))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        parts.finish(throwing: error)
    }
}
