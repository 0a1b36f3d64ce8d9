import Apple
import AsyncHTTPClient
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
package import Server
import Synchronization
import Tenancy

/// A proxy between a server and the simulator. It forwards every request, counts them, and holds a client's token calls as a
/// hanging Apple would.
package final class AppleProxy: Sendable {
    private struct State {
        var calls: [String: Int] = [:]
        var heldClient: String?
        var held = 0
    }

    package let url: String
    private let simulator: TestSimulator
    private let state = Mutex(State())

    private init(url: String, simulator: TestSimulator) {
        (self.url, self.simulator) = (url, simulator)
    }

    /// Provides a proxy to the body, with a platform that uses it as Apple.
    package static func run(
        _ adjust: @Sendable @escaping (inout Settings) -> Void = { _ in },
        _ body: @Sendable @escaping (TestPlatform, AppleProxy) async throws -> Void
    ) async throws {
        let simulator = try await TestSimulator.shared()
        let (listening, port) = AsyncStream.makeStream(of: Int.self)
        let itself = Mutex<AppleProxy?>(nil)
        let server = Hummingbird.Application(
            responder: CallbackResponder { (request: Request, _: BasicRequestContext) in
                guard let proxy = itself.withLock({ $0 }) else { throw HTTPError(.serviceUnavailable) }
                return try await proxy.pass(request)
            },
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { port.yield($0.localAddress?.port ?? 0) },
            logger: Logger(label: "proxy") { _ in SwiftLogNoOpLogHandler() })
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await server.run() }
            guard let bound = await listening.first(where: { _ in true }) else { throw CancellationError() }
            let proxy = AppleProxy(url: "http://127.0.0.1:\(bound)", simulator: simulator)
            itself.withLock { $0 = proxy }
            try await TestPlatform.run({ settings in
                settings.apple.baseURL = proxy.url
                adjust(&settings)
            }) { platform in
                defer { proxy.release() }
                try await body(platform, proxy)
            }
            tasks.cancelAll()
        }
    }

    /// Returns the number of requests to a path.
    package func calls(_ path: String) -> Int {
        state.withLock { $0.calls[path, default: 0] }
    }

    /// From now on, the token calls of this client get no response.
    package func hold(_ clientID: String) {
        state.withLock { $0.heldClient = clientID }
    }

    /// Returns the number of calls without a response now.
    package var held: Int { state.withLock { $0.held } }

    /// Answers the held calls and all later ones.
    package func release() {
        state.withLock { $0.heldClient = nil }
    }

    private func pass(_ request: Request) async throws -> Response {
        let body = try await request.body.collect(upTo: 1 << 20)
        let form = String(buffer: body).split(separator: "&")
        let isHeld = state.withLock { state in
            state.calls[request.uri.path, default: 0] += 1
            let isHeld = request.uri.path == "/auth/token" && state.heldClient.map { form.contains("client_id=\($0)") } ?? false
            if isHeld { state.held += 1 }
            return isHeld
        }
        if isHeld {
            defer { state.withLock { $0.held -= 1 } }
            while state.withLock({ $0.heldClient }) != nil { try await Task.sleep(for: .milliseconds(5)) }
        }
        var onward = HTTPClientRequest(url: simulator.url + request.uri.string)
        onward.method = .init(rawValue: request.method.rawValue)
        for field in request.headers where field.name != .contentLength && field.name != .connection {
            onward.headers.add(name: field.name.rawName, value: field.value)
        }
        if body.readableBytes > 0 { onward.body = .bytes(body) }
        let answer = try await HTTPClient.shared.execute(onward, timeout: .seconds(60))
        var headers = HTTPFields()
        for (name, value) in answer.headers
        where !["content-length", "transfer-encoding", "connection", "date"].contains(name.lowercased()) {
            if let name = HTTPField.Name(name) { headers.append(HTTPField(name: name, value: value)) }
        }
        return Response(
            status: .init(code: Int(answer.status.code)), headers: headers,
            body: .init(byteBuffer: try await answer.body.collect(upTo: 1 << 20)))
    }
}
