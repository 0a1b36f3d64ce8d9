package import Encoding
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization

/// A strict OpenID Connect provider on 127.0.0.1, made without the server's code for providers. A test changes its answers.
package final class FakeProvider: Sendable {
    /// The differences from a valid provider.
    package struct Changes: Sendable {
        /// Members of the discovery document, of the token endpoint's answer, and claims and header of the id_token.
        package var document, answer, claims, header: [String: (any Sendable)?]
        /// Texts instead of a document and of an answer.
        package var documentText, answerText, keysText: String?
        package var documentStatus = 200
        package var answerStatus = 200
        /// Another key than the published one.
        package var key: ClientKey?
        /// A whole id_token.
        package var idToken: String?

        package init(
            document: [String: (any Sendable)?] = [:], answer: [String: (any Sendable)?] = [:], claims: [String: (any Sendable)?] = [:],
            header: [String: (any Sendable)?] = [:]
        ) {
            (self.document, self.answer, self.claims, self.header) = (document, answer, claims, header)
        }
    }

    package static let clientID = "espalier"
    package static let secret = "a secret: with + and %"
    package static let accessToken = "access-token"

    private struct State {
        var changes = Changes()
        var nonces: [String: String] = [:]
        var forms: [Form] = []
        var port = 0
    }

    private let state = Mutex(State())
    package let key: ClientKey
    /// The person who signs in.
    package let subject = "person-1"
    /// The path of the issuer.
    private let path: String
    /// Whether the client has no secret.
    private let isPublic: Bool

    /// The issuer without its path.
    package var root: String { "http://127.0.0.1:\(state.withLock { $0.port })" }
    package var issuer: String { root + path }
    /// The forms that the token endpoint received.
    package var forms: [Form] { state.withLock { $0.forms } }

    private init(path: String, isPublic: Bool) throws {
        (self.path, self.isPublic) = (path, isPublic)
        key = try ClientKey()
    }

    package func change(_ changes: Changes) { state.withLock { $0.changes = changes } }

    /// Signs a person in, as after the form of the provider.
    /// - Parameter url: the authorization URL.
    /// - Returns: the code and the parameters of the URL.
    package func authorize(_ url: String) throws -> (code: String, query: Form) {
        let parts = url.split(separator: "?", maxSplits: 1)
        guard parts.count == 2, parts[0] == "\(issuer)/authorize" else { throw CancellationError() }
        let query = try Form(String(parts[1]))
        let code = UUID().uuidString
        state.withLock { $0.nonces[code] = query["nonce"] }
        return (code, query)
    }

    /// Runs a body with a provider, and stops it.
    package static func run<Outcome: Sendable>(
        at path: String = "", isPublic: Bool = false, _ body: @Sendable (FakeProvider) async throws -> Outcome
    ) async throws -> Outcome {
        let provider = try FakeProvider(path: path, isPublic: isPublic)
        let (ports, bound) = AsyncStream.makeStream(of: Int.self)
        let app = Application(
            responder: CallbackResponder { (request: Request, _: BasicRequestContext) in try await provider.respond(to: request) },
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in bound.yield(channel.localAddress?.port ?? 0) },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await app.run() }
            guard let port = await ports.first(where: { _ in true }) else { throw CancellationError() }
            provider.state.withLock { $0.port = port }
            let result: Result<Outcome, any Error>
            do { result = .success(try await body(provider)) } catch { result = .failure(error) }
            group.cancelAll()
            return try result.get()
        }
    }

    private func respond(to request: Request) async throws -> Response {
        let changes = state.withLock { $0.changes }
        guard request.uri.path.hasPrefix(path) else { return Response(status: .notFound) }
        switch request.uri.path.dropFirst(path.count) {
        case "/.well-known/openid-configuration":
            let document: [String: (any Sendable)?] = [
                "issuer": issuer, "authorization_endpoint": "\(issuer)/authorize", "token_endpoint": "\(issuer)/token",
                "jwks_uri": "\(issuer)/keys", "response_types_supported": ["code"], "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["ES256"], "code_challenge_methods_supported": ["S256"],
            ]
            return try Self.json(
                changes.documentText ?? Self.text(document.merging(changes.document) { $1 }), status: changes.documentStatus)
        case "/keys":
            return try Self.json(changes.keysText ?? ClientKey.document(key), status: 200)
        case "/token":
            let body = try await request.body.collect(upTo: 1 << 16)
            return try answer(Form(String(buffer: body)), authorization: request.headers[.authorization], changes)
        default: return Response(status: .notFound)
        }
    }

    private func answer(_ form: Form, authorization: String?, _ changes: Changes) throws -> Response {
        state.withLock { $0.forms.append(form) }
        let pair = "\(Form.encode(Self.clientID)):\(Form.encode(Self.secret))"
        let isProven =
            authorization == "Basic \(Data(pair.utf8).base64EncodedString())"
            || form["client_id"] == Self.clientID && form["client_secret"] == (isPublic ? nil : Self.secret)
        guard isProven else { return try Self.json(#"{"error":"invalid_client"}"#, status: 401) }
        if let text = changes.answerText { return try Self.json(text, status: changes.answerStatus) }
        guard let code = form["code"], let nonce = state.withLock({ $0.nonces.removeValue(forKey: code) })
        else { return try Self.json(#"{"error":"invalid_grant"}"#, status: 400) }
        let now = Int(Date().timeIntervalSince1970)
        let claims: [String: (any Sendable)?] = [
            "iss": issuer, "sub": subject, "aud": Self.clientID, "nonce": nonce, "iat": now, "exp": now + 300, "auth_time": now,
            "email": "ada@customer.test", "email_verified": true, "name": "Ada Lovelace", "jti": nil,
        ]
        let token = try (changes.key ?? key).assertion(
            of: subject, for: Self.clientID, header: ["typ": "JWT"].merging(changes.header) { $1 },
            claims.merging(changes.claims) { $1 })
        let answer: [String: (any Sendable)?] = [
            "access_token": Self.accessToken, "token_type": "Bearer", "expires_in": 300, "id_token": changes.idToken ?? token,
        ]
        return try Self.json(Self.text(answer.merging(changes.answer) { $1 }), status: changes.answerStatus)
    }

    private static func text(_ members: [String: (any Sendable)?]) throws -> String {
        String(decoding: try JSONSerialization.data(withJSONObject: members.compactMapValues(\.self)), as: UTF8.self)
    }

    private static func json(_ text: String, status: Int) throws -> Response {
        Response(
            status: .init(code: status), headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
