import Apple
import AsyncHTTPClient
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization
import Testing

/// A server on 127.0.0.1 that simulates Apple. The test sets the response of each path, and the server records the
/// requests.
final class FakeApple: Sendable {
    enum Answer: Sendable {
        case json(String, status: Int = 200)
        case html(Int)
        case redirect(Int, to: String)
        case empty
        /// This many spaces, with or without a Content-Length.
        case large(Int, announced: Bool)
        /// The head and the first bytes, then nothing until the test ends.
        case stalled
        /// Nothing until the test ends.
        case silent
        /// The response after a call of `release`.
        case held(String)
        /// The head and the first bytes, then the connection closes.
        case cutOff
    }

    struct Request: Sendable {
        let path: String
        let method: String
        let contentType: String?
        let authorization: String?
        let form: [String: String]
    }

    private struct State {
        var answers: [String: Answer] = [:]
        var requests: [Request] = []
    }

    private let state = Mutex(State())
    private let arrivals = Gate<Int>(0)
    private let released = Gate(false)
    private let ended = Gate(false)

    /// Sets the responses of a path from now on.
    func answer(_ path: String, _ answer: Answer) {
        state.withLock { $0.answers[path] = answer }
    }

    func answerKeys(_ keys: SigningKey...) {
        answer("/auth/keys", .json(SigningKey.publish(keys)))
    }

    func requests(_ path: String) -> [Request] {
        state.withLock { $0.requests.filter { $0.path == path } }
    }

    /// Waits until this many requests have arrived, at any path.
    func waitForRequests(_ count: Int) async {
        await arrivals.wait(until: { $0 >= count })
    }

    func release() {
        released.set { $0 = true }
    }

    /// Runs a body with a server and a client, and stops both.
    @discardableResult
    static func run<Outcome: Sendable>(
        _ change: (inout AppleSettings) -> Void = { _ in },
        http configuration: HTTPClient.Configuration? = nil,
        _ body: @Sendable (FakeApple, AppleClient) async throws -> Outcome
    ) async throws -> Outcome {
        let fake = FakeApple()
        let port = Gate<Int?>(nil)
        let app = Application(
            responder: CallbackResponder { (request: Hummingbird.Request, _: BasicRequestContext) in try await fake.respond(to: request)
            },
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in port.set { $0 = channel.localAddress?.port } },
            logger: quiet)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await app.run() }
            let bound = try #require(await port.wait(until: { $0 != nil }))
            var settings = AppleSettings(baseURL: "http://127.0.0.1:\(bound)")
            change(&settings)
            let http = AppleClient.makeHTTP(configuration ?? AppleClient.httpConfiguration(for: settings))
            let result: Result<Outcome, any Error>
            do {
                result = .success(try await body(fake, AppleClient(settings, http: http, logger: quiet)))
            } catch {
                result = .failure(error)
            }
            fake.ended.set { $0 = true }
            fake.release()
            try await http.shutdown()
            group.cancelAll()
            return try result.get()
        }
    }

    private func respond(to request: Hummingbird.Request) async throws -> Response {
        let body = try await request.body.collect(upTo: 1 << 20)
        let path = request.uri.path
        let answer = state.withLock {
            $0.requests.append(
                Request(
                    path: path, method: request.method.rawValue, contentType: request.headers[.contentType],
                    authorization: request.headers[.authorization], form: Self.fields(of: String(buffer: body))))
            return $0.answers[path] ?? .html(404)
        }
        arrivals.set { $0 += 1 }
        switch answer {
        case .json(let json, let status): return Self.response(status, "application/json", json)
        case .html(let status): return Self.response(status, "text/html", "<html><body>Apple</body></html>")
        case .redirect(let status, let target):
            return Response(status: .init(code: status), headers: [.location: target])
        case .empty: return Response(status: .ok)
        case .large(let count, let announced):
            return Response(
                status: .ok,
                body: ResponseBody(contentLength: announced ? count : nil) { writer in
                    for _ in 0..<(count / 1024) { try await writer.write(ByteBuffer(repeating: 0x20, count: 1024)) }
                    try await writer.finish(nil)
                })
        case .stalled:
            return Response(
                status: .ok,
                body: ResponseBody { [ended] writer in
                    try await writer.write(ByteBuffer(string: #"{"id_token":"#))
                    await ended.wait(until: { $0 })
                    try await writer.finish(nil)
                })
        case .silent:
            await ended.wait(until: { $0 })
            return Response(status: .ok)
        case .held(let json):
            await released.wait(until: { $0 })
            return Self.response(200, "application/json", json)
        case .cutOff:
            return Response(
                status: .ok,
                body: ResponseBody(contentLength: 1000) { writer in
                    try await writer.write(ByteBuffer(string: #"{"id_token":"#))
                    throw ConnectionCut()
                })
        }
    }

    private struct ConnectionCut: Error {}

    private static func response(_ status: Int, _ type: String, _ body: String) -> Response {
        Response(status: .init(code: status), headers: [.contentType: type], body: .init(byteBuffer: ByteBuffer(string: body)))
    }

    /// Decodes a form by Foundation's rules, not by those of the tested code.
    private static func fields(of form: String) -> [String: String] {
        var components = URLComponents()
        components.percentEncodedQuery = form
        let items = (components.queryItems ?? []).map { ($0.name, $0.value ?? "") }
        return Dictionary(items) { _, second in second + " (twice)" }
    }
}

/// A logger that limits the tests' output to failures.
let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
