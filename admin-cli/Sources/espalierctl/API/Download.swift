import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A large answer as it comes.
enum DownloadPart: Sendable {
    case head(HTTPURLResponse)
    case data(Data)
}

extension APIClient {
    /// Makes a call whose answer is a file. It ends with an error when the answer was cut off.
    ///
    /// Without `TE: trailers`: Foundation on Linux ends the whole program when an answer has some.
    func download(_ call: Call) throws(Failure) -> AsyncThrowingStream<DownloadPart, any Error> {
        var request = URLRequest(url: try url(of: call), timeoutInterval: timeout)
        request.setValue("Bearer \(apiKey.text)", forHTTPHeaderField: "Authorization")
        request.setValue("*/*", forHTTPHeaderField: "Accept")
        // The bytes as they are: a file is compressed or not, as was asked.
        request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        request.setValue("espalierctl/\(Espalierctl.version)", forHTTPHeaderField: "User-Agent")
        if let tag = call.entityTag { request.setValue(tag, forHTTPHeaderField: "If-Match") }
        return receive(request)
    }

    /// Sends a request once, exactly as it is. A redirect and a 401 of any kind are responses.
    func receive(_ request: URLRequest) -> AsyncThrowingStream<DownloadPart, any Error> {
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

    /// Following a redirect would carry the API key wherever it points.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    /// A 401 with `WWW-Authenticate: Basic` ends here, because the response is complete.
    ///
    /// Foundation on Linux never ends such a task by default handling, and loses the response if the challenge is rejected.
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
