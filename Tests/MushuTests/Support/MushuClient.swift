import Foundation
import Server
import TestSupport
import Testing

/// An application that was written for Mushu, at a base URL of Espalier. It sends only what Mushu's clients send.
struct MushuClient: Sendable {
    static let redirectURI = "http://localhost:49152/callback"

    let platform: TestPlatform
    let tenant: SeedResult.TenantResult
    let application: SeedResult.App
    let browser: TestBrowser

    struct Tokens: Sendable {
        var access, refresh: String
    }

    var base: String { "\(tenant.issuer)/mushu/\(application.client_id)" }

    /// - Parameters:
    ///   - number: 0 is Acme with its own connection, 1 is Globex with the shared one.
    ///   - settings: changes of the application. By default, it accepts tokens in the URL, on loopback.
    static func make(
        _ platform: TestPlatform, tenant number: Int = 0,
        _ settings: [String: any Sendable] = [
            "returns_tokens_in_url": true, "redirect_uris": ["http://localhost/callback", "https://app.test/callback"],
        ]
    ) async throws -> MushuClient {
        let tenant = platform.seeded.tenants[number]
        let client = MushuClient(
            platform: platform, tenant: tenant, application: tenant.applications[1], browser: TestBrowser(platform))
        if !settings.isEmpty { try await client.set(settings) }
        return client
    }

    /// Changes the application over the REST API, as its tenant does.
    func set(_ settings: [String: any Sendable]) async throws {
        let answer = try await platform.call("PATCH", "/tenants/\(tenant.slug)/applications/\(application.client_id)", settings)
        #expect(answer.status == 200, "\(answer.body)")
    }

    // MARK: Login

    func authorizeURL(_ redirectURI: String = Self.redirectURI, adding more: [(String, String)] = []) -> String {
        TestBrowser.Request.url("\(base)/auth/apple/authorize", [("redirect_uri", redirectURI)] + more)
    }

    /// From the client to Apple and back to the client.
    func login(
        _ redirectURI: String = Self.redirectURI, adding more: [(String, String)] = [], person: String = "new"
    ) async throws -> TestBrowser.Answer {
        let toApple = try await browser.get(authorizeURL(redirectURI, adding: more))
        return try await browser.callback(try await browser.atApple(toApple, person: person))
    }

    func tokens(person: String = "new") async throws -> Tokens {
        let back = try await login(person: person)
        return Tokens(
            access: try #require(back["access_token"], "\(back.status) \(back.location ?? back.body)"),
            refresh: try #require(back["refresh_token"]))
    }

    // MARK: Calls

    func post(_ path: String, _ body: [String: any Sendable]) async throws -> TestBrowser.Answer {
        try await post(path, text: String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self))
    }

    func post(_ path: String, text: String, type: String = "application/json") async throws -> TestBrowser.Answer {
        try await browser.send("POST", "\(base)/\(path)", headers: [("Content-Type", type)], body: text)
    }

    func get(_ path: String, _ token: String?) async throws -> TestBrowser.Answer {
        try await browser.get("\(base)/\(path)", headers: token.map { [("Authorization", "Bearer \($0)")] } ?? [])
    }

    func refresh(_ tokens: Tokens) async throws -> TestBrowser.Answer {
        try await post("auth/refresh", ["access_token": tokens.access, "refresh_token": tokens.refresh])
    }

    func logout(_ tokens: Tokens) async throws -> TestBrowser.Answer {
        try await post("auth/logout", ["access_token": tokens.access, "refresh_token": tokens.refresh])
    }

    func isValid(_ token: String) async throws -> Bool {
        try await get("auth/validate", token).json["valid"] as? Bool == true
    }
}

extension TestBrowser.Answer {
    /// Whether the response is a refusal in Mushu's form.
    func isRefusal(_ status: Int) -> Bool {
        self.status == status && Set(json.keys) == ["detail"] && string("detail")?.isEmpty == false
            && header("Content-Type") == "application/json" && header("Cache-Control") == "no-store"
            && (status != 401 || header("WWW-Authenticate") != nil)
    }

    /// The invalid parts of a request, by Mushu's response 422.
    var invalidParts: [String] {
        guard status == 422, Set(json.keys) == ["detail"], let parts = json["detail"] as? [[String: any Sendable]],
            parts.allSatisfy({ Set($0.keys) == ["loc", "msg", "type"] })
        else { return [] }
        return parts.map { "\(($0["loc"] as? [String] ?? []).joined(separator: ".")): \($0["type"] ?? "")" }
    }

    var tokens: MushuClient.Tokens {
        let tokens = json["tokens"] as? [String: String] ?? [:]
        return .init(access: tokens["access_token"] ?? "", refresh: tokens["refresh_token"] ?? "")
    }

    var user: [String: any Sendable] { json["user"] as? [String: any Sendable] ?? [:] }
}
