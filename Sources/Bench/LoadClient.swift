import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// The HTTP client of the load. It reuses connections and follows no redirects. An unexpected status ends the
/// measurement.
struct LoadClient: Sendable {
    private let client: HTTPClient

    /// - Parameter connections: The maximum number of connections to one server.
    init(connections: Int) {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connections
        // Lives as long as the process.
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    struct Answer: Sendable {
        let headers: HTTPHeaders
        let body: String

        var location: String { headers.first(name: "Location") ?? "" }

        /// The name and value of the cookie in the response.
        var cookie: String { (headers.first(name: "Set-Cookie") ?? "").prefixUp(to: ";") }

        /// Returns a parameter of the redirect, still encoded.
        func query(_ name: String) -> String? {
            location.split(separator: "?", maxSplits: 1).last?.split(separator: "&").first { $0.hasPrefix("\(name)=") }
                .map { String($0.dropFirst(name.utf8.count + 1)) }
        }

        /// Returns a string of a flat JSON object. No value that is read here contains an escape.
        func field(_ name: String) throws -> String {
            guard let start = body.range(of: "\"\(name)\":\"")?.upperBound else { throw Stage.Failure("the response contains no \(name)") }
            return String(body[start...]).prefixUp(to: "\"")
        }
    }

    func send(
        _ method: HTTPMethod, _ url: String, headers: [(String, String)] = [], form: String? = nil, expecting status: UInt
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: url)
        request.method = method
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        if let form {
            request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
            request.body = .bytes(ByteBuffer(string: form))
        }
        let response = try await client.execute(request, timeout: .seconds(30))
        let body = String(buffer: try await response.body.collect(upTo: 1 << 20))
        guard response.status.code == status else {
            let path = URL(string: url)?.path ?? ""
            throw Stage.Failure("\(method) \(path) returned status \(response.status.code) instead of \(status)")
        }
        return Answer(headers: response.headers, body: body)
    }
}

extension String {
    fileprivate func prefixUp(to end: Character) -> String {
        String(prefix { $0 != end })
    }
}
