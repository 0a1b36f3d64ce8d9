import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Asks the REST API as the holder of one key.
struct APIClient {
    /// An answer, as the server wrote it and as far as we understand it.
    struct Reply<Body> {
        var json: String
        var body: Body
    }

    let baseURL: URL
    let apiKey: APIKey

    /// Fetches one resource.
    /// - Parameter path: Below the base URL, without a leading slash, already fit for a URL.
    /// - Throws: ``Failure``: what the server said, or that it could not be asked.
    func get<Body: Decodable>(_ path: String, query: [URLQueryItem] = [], as body: Body.Type) async throws(Failure) -> Reply<Body> {
        var url = baseURL.appending(path: path)
        if !query.isEmpty { url.append(queryItems: query) }
        var request = URLRequest(url: url, timeoutInterval: 30)
        request.setValue("Bearer \(apiKey.text)", forHTTPHeaderField: "Authorization")
        request.setValue("application/json, application/problem+json", forHTTPHeaderField: "Accept")
        request.setValue("espalierctl/\(Espalierctl.version)", forHTTPHeaderField: "User-Agent")

        let (data, response) = try await send(request)
        guard response.statusCode == 200 else { throw Problem(data, response).failure }
        do {
            return Reply(json: String(decoding: data, as: UTF8.self), body: try JSONDecoder().decode(Body.self, from: data))
        } catch {
            throw Failure(
                status: .failure, detail: "The answer isn't what Espalier's REST API would say.",
                requestID: response.value(forHTTPHeaderField: "Request-Id"),
                nextStep: "Check that the base URL is Espalier's, and that espalierctl isn't much older than it.")
        }
    }

    private func send(_ request: URLRequest) async throws(Failure) -> (Data, HTTPURLResponse) {
        do {
            let session = URLSession(configuration: .ephemeral, delegate: RedirectRefusal(), delegateQueue: nil)
            defer { session.finishTasksAndInvalidate() }
            let (data, response) = try await session.data(for: request)
            guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
            return (data, response)
        } catch {
            throw Failure(
                status: .failure, detail: "\(baseURL.absoluteString) can't be reached: \(error.localizedDescription)",
                nextStep: "Check the base URL, and that Espalier runs.")
        }
    }
}

/// Hands a redirect back as the answer: following it would carry the API key wherever it points.
private final class RedirectRefusal: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
