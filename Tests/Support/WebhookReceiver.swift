import Crypto
package import Encoding
import Foundation
package import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization
import Tenancy
import Web

/// An endpoint on 127.0.0.1. The test sets its responses, and it records its requests.
package final class WebhookReceiver: Sendable {
    package enum Answer: Sendable {
        case status(Int)
        case redirect(to: String)
        /// The status 200 with a body.
        case body(String)
        /// No response until `release` is called.
        case held
        /// A body that never ends.
        case endless
    }

    package struct Received: Sendable {
        package let path: String
        package let headers: HTTPFields
        package let body: [UInt8]

        package var id: String { header("webhook-id") }
        package var timestamp: String { header("webhook-timestamp") }
        package var json: [String: any Sendable] {
            (try? JSONSerialization.jsonObject(with: Data(body)) as? [String: any Sendable]) ?? [:]
        }
        package var data: [String: String] { json["data"] as? [String: String] ?? [:] }

        /// The fields of a form.
        package var form: Form? { try? Form(String(decoding: body, as: UTF8.self)) }

        package func header(_ name: String) -> String { HTTPField.Name(name).flatMap { headers[$0] } ?? "" }

        /// Checks each of the signatures as Standard Webhooks requires of a receiver, with code that the sender does not
        /// share.
        package func isSigned(by secret: String) -> Bool {
            guard secret.hasPrefix("whsec_"), let key = Data(base64Encoded: String(secret.dropFirst(6))) else { return false }
            let message = Data("\(id).\(timestamp).".utf8) + Data(body)
            return header("webhook-signature").split(separator: " ").contains { signature in
                let parts = signature.split(separator: ",", maxSplits: 1)
                guard parts.count == 2, parts[0] == "v1", let code = Data(base64Encoded: String(parts[1])) else { return false }
                return HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: message, using: SymmetricKey(data: key))
            }
        }
    }

    private struct State {
        var answer = Answer.status(200)
        var received: [Received] = []
        var isReleased = false
    }

    private let state = Mutex(State())
    private let port = Mutex(0)

    package var url: String { "http://127.0.0.1:\(port.withLock { $0 })/hook" }
    package var received: [Received] { state.withLock { $0.received } }

    package func answer(_ answer: Answer) { state.withLock { $0.answer = answer } }
    package func release() { state.withLock { $0.isReleased = true } }

    /// Runs a body with a receiver, and stops it.
    package static func run<Outcome: Sendable>(_ body: @Sendable (WebhookReceiver) async throws -> Outcome) async throws -> Outcome {
        let receiver = WebhookReceiver()
        let (ports, bound) = AsyncStream.makeStream(of: Int.self)
        let app = Application(
            responder: CallbackResponder { (request: Request, _: BasicRequestContext) in try await receiver.respond(to: request) },
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in bound.yield(channel.localAddress?.port ?? 0) },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await app.run() }
            guard let port = await ports.first(where: { _ in true }) else { throw CancellationError() }
            receiver.port.withLock { $0 = port }
            let result: Result<Outcome, any Error>
            do { result = .success(try await body(receiver)) } catch { result = .failure(error) }
            receiver.release()
            group.cancelAll()
            return try result.get()
        }
    }

    private func respond(to request: Request) async throws -> Response {
        let body = try await request.body.collect(upTo: 1 << 20)
        let received = Received(path: request.uri.path, headers: request.headers, body: Array(buffer: body))
        let answer = state.withLock { state in
            state.received.append(received)
            return state.answer
        }
        switch answer {
        case .status(let status): return Response(status: .init(code: status))
        case .redirect(let target): return Response(status: .found, headers: [.location: target])
        case .body(let text): return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
        case .held:
            try await eventually("it is released", isSo: { state.withLock { $0.isReleased } })
            return Response(status: .ok)
        case .endless:
            return Response(
                status: .ok,
                body: ResponseBody { [self] writer in
                    while !state.withLock({ $0.isReleased }) { try await writer.write(ByteBuffer(repeating: 0x20, count: 65536)) }
                    try await writer.finish(nil)
                })
        }
    }
}
