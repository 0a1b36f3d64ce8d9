import Foundation
import HTTPTypes
import Hummingbird
import JWTKit
import NIOCore
import Synchronization

/// A small OpenID Connect provider and usage API for one tenant. A test can make its responses invalid.
final class FakeProvider: Sendable {
    /// One deviation from correct behavior.
    enum Fault: String, Sendable, CaseIterable {
        case wrongSignature, unknownKey, otherAudience, otherIssuer, otherNonce, expired, noIDToken
    }

    struct IDTokenClaims: JWTPayload {
        var iss: String
        var sub: String
        var aud: String
        var exp: Int
        var iat: Int
        var nonce: String?

        func verify(using algorithm: some JWTAlgorithm) {}
    }

    struct State {
        var issuer = ""
        var fault: Fault?
        var userInfo = #"{"sub":"user_1","name":"Ada Lovelace","email":"ada@example.com"}"#
        var usage: (status: HTTPResponse.Status, body: String) =
            (
                .ok,
                #"{"object":"usage","tenant_id":"tenant_1","from":"2026-11-01T00:00:00Z","to":"2026-12-01T00:00:00Z","logins":3,"days":[]}"#
            )
        var nonce: String?
        var challenge: String?
        var refreshes = 0
        /// If set, the token endpoint rejects with this error.
        var tokenError: String?
        /// The forms posted to the token endpoint.
        var tokenRequests: [[String: String]] = []
        /// The Authorization headers of the token and the usage requests.
        var authorizations: [String] = []
    }

    static let code = "the-code"
    private let state = Mutex(State())
    private let signingKey = ES256PrivateKey()
    private let strangersKey = ES256PrivateKey()

    /// Its behavior, and its requests so far.
    var current: State { state.withLock { $0 } }

    /// Changes its behavior from now on.
    func change(_ body: (inout State) -> Void) {
        state.withLock { body(&$0) }
    }

    /// The refresh token of a generation. The first generation is 0.
    static func refreshToken(_ generation: Int) -> String {
        "refresh-token-of-generation-\(generation)-0123456789abcdefghijklmnopq-\(generation)"
    }

    var router: Router<BasicRequestContext> {
        let router = Router()
        router.get("/t/acme/.well-known/openid-configuration") { [self] _, _ in
            let issuer = current.issuer
            return json(
                """
                {"issuer":"\(issuer)","authorization_endpoint":"\(issuer)/authorize","token_endpoint":"\(issuer)/token",\
                "userinfo_endpoint":"\(issuer)/userinfo","jwks_uri":"\(issuer)/jwks",\
                "end_session_endpoint":"\(issuer)/logout"}
                """)
        }
        router.get("/t/acme/jwks") { [self] _, _ in
            let (x, y) = (signingKey.publicKey.parameters?.x ?? "", signingKey.publicKey.parameters?.y ?? "")
            return json(#"{"keys":[{"kty":"EC","crv":"P-256","alg":"ES256","use":"sig","kid":"1","x":"\#(x)","y":"\#(y)"}]}"#)
        }
        router.get("/t/acme/userinfo") { [self] _, _ in json(current.userInfo) }
        router.post("/t/acme/token") { [self] request, _ in
            let body = try await request.body.collect(upTo: 10_000)
            return try await answerToken(Self.fields(String(buffer: body)), authorization: request.headers[.authorization])
        }
        router.get("/v1/tenants/acme/usage") { [self] request, _ in
            let usage = state.withLock {
                $0.authorizations.append(request.headers[.authorization] ?? "")
                return $0.usage
            }
            return Response(
                status: usage.status, headers: [.contentType: "application/json"],
                body: .init(byteBuffer: ByteBuffer(string: usage.body)))
        }
        return router
    }

    /// The fields of a form or a query.
    static func fields(_ text: String) -> [String: String] {
        let components = URLComponents(string: "?\(text)")
        return Dictionary((components?.queryItems ?? []).map { ($0.name, $0.value ?? "") }) { first, _ in first }
    }

    private func answerToken(_ form: [String: String], authorization: String?) async throws -> Response {
        let state = state.withLock {
            $0.tokenRequests.append(form)
            $0.authorizations.append(authorization ?? "")
            if form["grant_type"] == "refresh_token" { $0.refreshes += 1 }
            return $0
        }
        if let error = state.tokenError { return json(#"{"error":"\#(error)"}"#, .badRequest) }
        let idToken = try await idToken(state, nonce: form["grant_type"] == "refresh_token" ? nil : state.nonce)
        return json(
            """
            {"access_token":"access-token-that-is-opaque-0123456789abcdefghijklmn","token_type":"Bearer","expires_in":3600,\
            "refresh_token":"\(Self.refreshToken(state.refreshes))"\(idToken)}
            """)
    }

    private func idToken(_ state: State, nonce: String?) async throws -> String {
        if state.fault == .noIDToken { return "" }
        let key = state.fault == .wrongSignature ? strangersKey : signingKey
        let now = Int(Date.now.timeIntervalSince1970)
        let claims = IDTokenClaims(
            iss: state.fault == .otherIssuer ? "https://other.example" : state.issuer,
            sub: "user_1",
            aud: state.fault == .otherAudience ? "another-application" : "acme-web",
            exp: state.fault == .expired ? now - 120 : now + 3600,
            iat: now,
            nonce: state.fault == .otherNonce ? "another" : nonce)
        let token = try await JWTKeyCollection().add(ecdsa: key).sign(claims, kid: state.fault == .unknownKey ? "2" : "1")
        return #","id_token":"\#(token)""#
    }

    private func json(_ text: String, _ status: HTTPResponse.Status = .ok) -> Response {
        Response(status: status, headers: [.contentType: "application/json"], body: .init(byteBuffer: ByteBuffer(string: text)))
    }
}
