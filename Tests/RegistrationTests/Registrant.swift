import Foundation
import Postgres
import Server
import TestSupport

/// Software that registers itself at a tenant, and knows only the registration endpoint and its initial access token.
struct Registrant: Sendable {
    let platform: TestPlatform
    let browser: TestBrowser
    let tenant: SeedResult.TenantResult
    /// The initial access token, and its ID.
    let token, id: String

    /// Issues an initial access token for it.
    static func make(
        _ platform: TestPlatform, _ tenant: SeedResult.TenantResult? = nil, _ settings: [String: any Sendable] = [:]
    ) async throws -> Registrant {
        let tenant = tenant ?? platform.acme
        let issued = try await platform.call(
            "POST", "/tenants/\(tenant.slug)/initial-access-tokens",
            ["name": "Partner", "max_registrations": 100].merging(settings) { $1 })
        guard let token = issued.string("secret")
        else { throw TestSimulator.Refused(description: "no token: \(issued.status) \(issued.body)") }
        return Registrant(platform: platform, browser: TestBrowser(platform), tenant: tenant, token: token, id: issued.resourceID)
    }

    var endpoint: String { "\(tenant.issuer)/oauth2/register" }

    /// The metadata of a web application.
    static let web: [String: any Sendable] = [
        "client_name": "Shop", "redirect_uris": [TestPlatform.redirectURI], "grant_types": ["authorization_code", "refresh_token"],
    ]

    func register(_ metadata: [String: any Sendable] = web, token other: String? = nil) async throws -> TestBrowser.Answer {
        try await send("POST", endpoint, token: other ?? token, metadata)
    }

    /// Registers a client that the test needs.
    func client(_ metadata: [String: any Sendable] = web) async throws -> Client {
        let answer = try await register(metadata)
        guard answer.status == 201, let id = answer.string("client_id"), let uri = answer.string("registration_client_uri"),
            let token = answer.string("registration_access_token")
        else { throw TestSimulator.Refused(description: "not registered: \(answer.status) \(answer.body)") }
        return Client(id: id, uri: uri, token: token, secret: answer.string("client_secret"), answer: answer)
    }

    struct Client: Sendable {
        let id, uri, token: String
        let secret: String?
        let answer: TestBrowser.Answer
    }

    func send(
        _ method: String, _ url: String, token: String?, _ body: [String: any Sendable]? = nil, isChunked: Bool = false
    ) async throws -> TestBrowser.Answer {
        var headers = token.map { [("Authorization", "Bearer \($0)")] } ?? []
        if body != nil { headers.append(("Content-Type", "application/json")) }
        let text = try body.map { String(decoding: try JSONSerialization.data(withJSONObject: $0, options: .sortedKeys), as: UTF8.self) }
        return try await browser.send(method, url, headers: headers, body: text, isChunked: isChunked)
    }

    /// Replaces the metadata of a client.
    func replace(
        _ client: Client, _ changes: [String: any Sendable] = [:], isChunked: Bool = false
    ) async throws -> TestBrowser.Answer {
        try await send(
            "PUT", client.uri, token: client.token, Self.web.merging(["client_id": client.id]) { $1 }.merging(changes) { $1 },
            isChunked: isChunked)
    }

    /// Starts requests one after another while a transaction holds all applications. Each one has passed the check of its token and waits
    /// for its application.
    /// - Parameter action: runs when all of them wait.
    func held(
        _ requests: [@Sendable () async throws -> TestBrowser.Answer], action: @Sendable () async throws -> Void = {}
    ) async throws -> [TestBrowser.Answer] {
        let running = try await platform.ownerPool.transaction { db in
            _ = try await db.run("SELECT FROM application FOR UPDATE")
            var running: [Task<TestBrowser.Answer, any Error>] = []
            for request in requests {
                running.append(Task { try await request() })
                let count = running.count
                try await platform.waitForLock("\(count) requests wait", by: count)
            }
            try await action()
            return running
        }
        var answers: [TestBrowser.Answer] = []
        for task in running { answers.append(try await task.value) }
        return answers
    }

    /// A request of a login with a registered client.
    func request(_ client: Client) throws -> TestBrowser.Request {
        var request = TestBrowser.Request(tenant)
        let uris = client.answer.json["redirect_uris"] as? [String] ?? []
        var application: [String: any Sendable] = ["client_id": client.id, "name": "Registered", "redirect_uris": uris]
        application["client_secret"] = client.secret
        request.application = try JSONDecoder().decode(
            SeedResult.App.self, from: try JSONSerialization.data(withJSONObject: application))
        request.redirectURI = uris.first ?? ""
        return request
    }
}

extension TestBrowser.Answer {
    /// Whether the response refuses metadata with this error, and its description names the member.
    func refuses(_ error: String, naming member: String) -> Bool {
        status == 400 && string("error") == error && string("error_description")?.contains(member) == true
            && header("Cache-Control") == "no-store"
    }
}
