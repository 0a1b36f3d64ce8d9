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
    /// - Parameters:
    ///   - lastEventID: the last event of an interrupted stream of events.
    ///   - opening: a small call that opens the connection, for a response that stays open for minutes.
    func download(
        _ call: Call, accepting types: String = "*/*", lastEventID: String? = nil, after opening: Call? = nil
    ) throws(Failure) -> AsyncThrowingStream<DownloadPart, any Error> {
        var request = try request(for: call, accepting: types)
        // The file arrives without another compression. The call itself states whether the file is compressed.
        request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        if let tag = call.entityTag { request.setValue(tag, forHTTPHeaderField: "If-Match") }
        if let lastEventID { request.setValue(lastEventID, forHTTPHeaderField: "Last-Event-ID") }
        return Self.receive(
            request, after: try opening.map { call throws(Failure) in try self.request(for: call, accepting: "application/json") })
    }

    /// Sends a request once, without a change. A redirect and every 401 count as responses.
    ///
    /// Foundation on Linux uses a whole core while a response stays open on a connection that it has opened for the same request: it
    /// never stops to ask whether the connection can be written. A second request on the connection does not have this problem.
    /// - Parameter opening: a request to the same server that is sent before. Its response, or its failure, does not count.
    static func receive(_ request: URLRequest, after opening: URLRequest? = nil) -> AsyncThrowingStream<DownloadPart, any Error> {
        let (parts, continuation) = AsyncThrowingStream.makeStream(of: DownloadPart.self)
        let session = URLSession(configuration: .ephemeral, delegate: Receiver(continuation, request), delegateQueue: nil)
        continuation.onTermination = { _ in session.invalidateAndCancel() }
        let task = session.dataTask(with: opening ?? request)
        if opening != nil { task.taskDescription = Receiver.opening }
        task.resume()
        return parts
    }
}

private final class Receiver: NSObject, URLSessionDataDelegate {
    /// The description of the task that only opens the connection.
    static let opening = "opening"

    private let parts: AsyncThrowingStream<DownloadPart, any Error>.Continuation
    private let request: URLRequest

    init(_ parts: AsyncThrowingStream<DownloadPart, any Error>.Continuation, _ request: URLRequest) {
        self.parts = parts
        self.request = request
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
        if task.taskDescription != Self.opening { parts.finish() }
        completionHandler(.cancelAuthenticationChallenge, nil)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if dataTask.taskDescription != Self.opening, let response = response as? HTTPURLResponse { parts.yield(.head(response)) }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        if dataTask.taskDescription != Self.opening { parts.yield(.data(data)) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        if task.taskDescription == Self.opening { session.dataTask(with: request).resume() } else { parts.finish(throwing: error) }
    }
}
