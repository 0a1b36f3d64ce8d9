import AsyncHTTPClient
import Crypto
import Foundation
import Hummingbird
import JWTKit

/// The addresses of the tenant, from its discovery document.
struct Provider: Decodable {
    let issuer, authorization_endpoint, token_endpoint, jwks_uri, end_session_endpoint: String
}

struct Tokens: Decodable { let id_token: String }

/// The claims of an id_token that this application uses.
struct User: JWTPayload {
    let iss, sub, nonce: String
    let aud: AudienceClaim
    let exp: ExpirationClaim
    let email: String?

    func verify(using algorithm: some JWTAlgorithm) throws { try exp.verifyNotExpired() }
}

/// Signs users in, and stores their sessions in memory.
actor Shop {
    private let provider: Provider
    private let clientID, clientSecret, origin: String
    private var sessions: [String: (user: User, idToken: String)] = [:]

    init(provider: Provider, clientID: String, clientSecret: String, origin: String) {
        (self.provider, self.clientID, self.clientSecret, self.origin) = (provider, clientID, clientSecret, origin)
    }

    func home(_ request: Request) -> Response {
        var content = #"<p><a href="/sign-in">Sign in with Apple</a></p>"#
        if let session = request.cookies["session"].flatMap({ sessions[$0.value] }) {
            content = "<p>You are signed in as \(escaped(session.user.email ?? session.user.sub)).</p>"
            content += #"<form method="post" action="/sign-out"><button>Sign out</button></form>"#
        }
        let html = ByteBuffer(string: "<!doctype html><title>Shop</title>\(content)")
        return Response(status: .ok, headers: [.contentType: "text/html; charset=utf-8"], body: .init(byteBuffer: html))
    }

    /// Sends the browser to Espalier. The cookie binds the sign-in to this browser.
    func signIn() -> Response {
        let (state, nonce, verifier) = (randomToken(), randomToken(), randomToken())
        let query = form([
            "response_type": "code", "client_id": clientID, "redirect_uri": "\(origin)/callback", "scope": "openid profile email",
            "state": state, "nonce": nonce, "code_challenge_method": "S256",
            "code_challenge": base64URL(SHA256.hash(data: Data(verifier.utf8))),
        ])
        var response = Response.redirect(to: "\(provider.authorization_endpoint)?\(query)")
        response.setCookie(cookie("attempt", "\(state).\(nonce).\(verifier)", seconds: 900))
        return response
    }

    /// Redeems the code, and verifies the id_token with the keys of the tenant (OpenID Connect Core, 3.1.3.7).
    func callback(_ request: Request) async throws -> Response {
        let attempt = request.cookies["attempt"]?.value.split(separator: ".").map(String.init) ?? []
        let answer = request.uri.queryParameters
        guard attempt.count == 3, answer.get("state") == attempt[0], answer.get("iss") == provider.issuer else {
            throw HTTPError(.badRequest, message: "This sign-in started in another browser. Start again.")
        }
        guard let code = answer.get("code") else {
            throw HTTPError(.badRequest, message: "You are not signed in: \(answer.get("error") ?? "no code").")
        }
        let tokens: Tokens = try await fetch(
            provider.token_endpoint,
            form: form([
                "grant_type": "authorization_code", "code": code, "redirect_uri": "\(origin)/callback",
                "code_verifier": attempt[2], "client_id": clientID, "client_secret": clientSecret,
            ]))
        let keys: JWKS = try await fetch(provider.jwks_uri)
        let user = try await JWTKeyCollection().add(jwks: keys).verify(tokens.id_token, as: User.self)
        guard user.iss == provider.issuer, user.aud.value == [clientID], user.nonce == attempt[1] else {
            throw HTTPError(.badRequest, message: "The id_token belongs to another sign-in. Start again.")
        }
        let session = randomToken()
        sessions[session] = (user, tokens.id_token)
        var response = Response.redirect(to: "/")
        response.setCookie(cookie("session", session, seconds: 86400))
        response.setCookie(cookie("attempt", "", seconds: 0))
        return response
    }

    /// Ends the session here and at Espalier, which returns the browser to the home page.
    func signOut(_ request: Request) -> Response {
        guard let session = request.cookies["session"].flatMap({ sessions.removeValue(forKey: $0.value) }) else {
            return .redirect(to: "/")
        }
        let query = form(["id_token_hint": session.idToken, "post_logout_redirect_uri": "\(origin)/"])
        return .redirect(to: "\(provider.end_session_endpoint)?\(query)")
    }
}

func fetch<Answer: Decodable>(_ url: String, form: String? = nil) async throws -> Answer {
    var request = HTTPClientRequest(url: url)
    if let form {
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        request.body = .bytes(ByteBuffer(string: form))
    }
    let response = try await HTTPClient.shared.execute(request, timeout: .seconds(15))
    let body = try await response.body.collect(upTo: 1 << 20)
    guard response.status == .ok else { throw HTTPError(.badGateway, message: "Espalier responded with \(response.status).") }
    return try JSONDecoder().decode(Answer.self, from: Data(body.readableBytesView))
}

/// Pass `secure: true` on a site with https.
func cookie(_ name: String, _ value: String, seconds: Int) -> Cookie {
    Cookie(name: name, value: value, maxAge: seconds, path: "/", secure: false, httpOnly: true, sameSite: .lax)
}

func form(_ fields: [String: String]) -> String {
    let unreserved = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
    return fields.map { "\($0)=\($1.addingPercentEncoding(withAllowedCharacters: unreserved)!)" }.joined(separator: "&")
}

func escaped(_ text: String) -> String {
    text.unicodeScalars.map { "<>&\"'".unicodeScalars.contains($0) ? "&#\($0.value);" : String($0) }.joined()
}

func base64URL(_ bytes: some Sequence<UInt8>) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
}

func randomToken() -> String { base64URL((0..<32).map { _ in UInt8.random(in: .min ... .max) }) }

func setting(_ name: String) -> String {
    guard let value = ProcessInfo.processInfo.environment[name] else { fatalError("\(name) is missing.") }
    return value
}

let (issuer, origin) = (setting("SHOP_ISSUER"), setting("SHOP_ORIGIN"))
let provider: Provider = try await fetch("\(issuer)/.well-known/openid-configuration")
guard provider.issuer == issuer else { fatalError("SHOP_ISSUER must be \(provider.issuer).") }
let shop = Shop(provider: provider, clientID: setting("SHOP_CLIENT_ID"), clientSecret: setting("SHOP_SECRET"), origin: origin)
let router = Router()
router.get("/") { request, _ in await shop.home(request) }
router.get("sign-in") { _, _ in await shop.signIn() }
router.get("callback") { request, _ in try await shop.callback(request) }
router.post("sign-out") { request, _ in await shop.signOut(request) }
let address = BindAddress.hostname("127.0.0.1", port: URL(string: origin)!.port!)
try await Application(router: router, configuration: .init(address: address)).runService()
