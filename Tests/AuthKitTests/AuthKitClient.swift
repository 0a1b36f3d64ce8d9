import Foundation
import Postgres
import Server
import TestSupport

/// An application that was written for AuthKit: its calls are those of WorkOS's library, in JSON with the API key as the secret.
struct AuthKitClient {
    static let root = "\(TestPlatform.publicURL)/user_management"

    let platform: TestPlatform
    let browser: TestBrowser
    var request: TestBrowser.Request
    /// Nil for an application without a secret.
    var secret: String?

    /// - Parameter application: 0 is confidential, 1 public, 2 confidential and exempt from PKCE.
    init(_ platform: TestPlatform, application: Int = 2, _ tenant: SeedResult.TenantResult? = nil) {
        (self.platform, browser) = (platform, TestBrowser(platform))
        request = TestBrowser.Request(tenant ?? platform.acme, application: application)
        secret = application == 1 ? nil : request.tenant.api_keys[0].secret
    }

    /// The application's ID with WorkOS's prefix.
    var clientID: String { "client_" + request.application.client_id.dropFirst("app_".count) }
    var organization: String { "org_" + request.tenant.id.dropFirst("tenant_".count) }
    var usesPKCE: Bool { request.application.client_id != request.tenant.applications[2].client_id }

    func authorize(_ changes: [String: String?] = [:]) async throws -> TestBrowser.Answer {
        var parameters: [String: String] = [
            "client_id": clientID, "redirect_uri": request.redirectURI, "response_type": "code", "state": request.state,
            "provider": "authkit",
        ]
        if usesPKCE { (parameters["code_challenge"], parameters["code_challenge_method"]) = (request.challenge, "S256") }
        for (name, value) in changes { parameters[name] = value }
        return try await browser.get(TestBrowser.Request.url("\(Self.root)/authorize", parameters.map { ($0.key, $0.value) }))
    }

    func code(person: String = "new") async throws -> String {
        let back = try await browser.callback(try await browser.atApple(try await authorize(), person: person))
        guard let code = back["code"] else { throw TestSimulator.Refused(description: "no code: \(back.location ?? back.body)") }
        return code
    }

    /// Sends a request to authenticate, with members changed, added or removed.
    func authenticate(_ body: [String: String?], headers: [(String, String)] = []) async throws -> TestBrowser.Answer {
        var members: [String: String] = ["client_id": clientID]
        members["client_secret"] = secret
        for (name, value) in body { members[name] = value }
        let text = String(decoding: try JSONSerialization.data(withJSONObject: members), as: UTF8.self)
        let bearer = secret.map { [("Authorization", "Bearer \($0)")] } ?? []
        return try await browser.send(
            "POST", "\(Self.root)/authenticate", headers: [("Content-Type", "application/json")] + bearer + headers, body: text)
    }

    func redeem(_ code: String, _ changes: [String: String?] = [:], headers: [(String, String)] = []) async throws -> TestBrowser.Answer {
        var body: [String: String?] = ["grant_type": "authorization_code", "code": code]
        if usesPKCE { body["code_verifier"] = request.verifier }
        return try await authenticate(body.merging(changes) { $1 }, headers: headers)
    }

    func refresh(_ token: String?, _ changes: [String: String?] = [:]) async throws -> TestBrowser.Answer {
        try await authenticate(["grant_type": "refresh_token", "refresh_token": token].merging(changes) { $1 })
    }

    /// A complete login.
    func login(person: String = "new") async throws -> TestBrowser.Answer {
        let answer = try await redeem(try await code(person: person))
        guard answer.status == 200 else { throw TestSimulator.Refused(description: "no session: \(answer.status) \(answer.body)") }
        return answer
    }

    func call(_ path: String, key: String? = nil) async throws -> TestBrowser.Answer {
        try await call("GET", path, key: key)
    }

    /// Calls an operation that needs the API key.
    func call(_ method: String, _ path: String, key: String? = nil, _ body: [String: any Sendable]? = nil) async throws
        -> TestBrowser.Answer
    {
        try await call(
            method, path, key: key, body: try body.map { String(decoding: try JSONSerialization.data(withJSONObject: $0), as: UTF8.self) })
    }

    /// - Parameter text: the JSON of the body.
    func call(_ method: String, _ path: String, key: String? = nil, body text: String?) async throws -> TestBrowser.Answer {
        var headers = [("Authorization", "Bearer \(key ?? request.tenant.api_keys[0].secret)")]
        if text != nil { headers.append(("Content-Type", "application/json")) }
        return try await browser.send(method, TestPlatform.publicURL + path, headers: headers, body: text)
    }

    func jwks() async throws -> TestBrowser.Answer {
        try await browser.get("\(TestPlatform.publicURL)/sso/jwks/\(clientID)")
    }

    func logout(_ parameters: [(String, String)]) async throws -> TestBrowser.Answer {
        try await browser.get(TestBrowser.Request.url("\(Self.root)/sessions/logout", parameters))
    }

    /// The number of billed logins.
    func billed() async throws -> Int {
        try await platform.ownerPool.run("SELECT count(*) AS n FROM usage_arrival").first { try $0.get("n", as: Int.self) } ?? 0
    }
}

extension TestBrowser.Answer {
    var user: [String: any Sendable] { json["user"] as? [String: any Sendable] ?? [:] }
    var userID: String { user["id"] as? String ?? "" }
    /// A list's elements, and their IDs.
    var elements: [[String: any Sendable]] { json["data"] as? [[String: any Sendable]] ?? [] }
    var ids: [String] { elements.compactMap { $0["id"] as? String } }
    func cursor(_ name: String) -> String? { (json["list_metadata"] as? [String: any Sendable])?[name] as? String }
    var accessToken: String { string("access_token") ?? "" }

    /// Whether it is an error in WorkOS's form.
    func isError(_ status: Int, _ code: String) -> Bool {
        self.status == status && string("code") == code && string("message")?.isEmpty == false && header("X-Request-ID")?.isEmpty == false
            && header("Content-Type") == "application/json"
    }
}
