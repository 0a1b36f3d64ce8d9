import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// A browser that stores one cookie and follows no redirect automatically.
final class Browser {
    struct Page {
        var status: Int
        var location: String?
        var setCookie: String?
        var text: String
        fileprivate var headers: HTTPHeaders

        func header(_ name: String) -> String? { headers.first(name: name) }
    }

    private let origin: String
    private(set) var cookie: String?

    init(port: Int, cookie: String? = nil) {
        origin = "http://127.0.0.1:\(port)"
        self.cookie = cookie
    }

    func get(_ path: String) async throws -> Page { try await request(.GET, path) }

    func post(_ path: String) async throws -> Page { try await request(.POST, path) }

    private func request(_ method: HTTPMethod, _ path: String) async throws -> Page {
        var request = HTTPClientRequest(url: origin + path)
        request.method = method
        if let cookie { request.headers.add(name: "Cookie", value: cookie) }
        let response = try await HTTPClient.withHTTPClient(configuration: .init(redirectConfiguration: .disallow)) { client in
            let response = try await client.execute(request, timeout: .seconds(60))
            return (response.status, response.headers, String(buffer: try await response.body.collect(upTo: 1 << 20)))
        }
        let setCookie = response.1.first(name: "Set-Cookie")
        if let pair = setCookie?.split(separator: ";").first { cookie = String(pair) }
        return Page(
            status: Int(response.0.code), location: response.1.first(name: "Location"), setCookie: setCookie, text: response.2,
            headers: response.1)
    }
}
