import Access
@testable import Accounts
import Apple
import AsyncHTTPClient
import Foundation
import Logging
import Outbox
import Postgres
import Server
import Tenancy
import TestSupport
import Testing
@testable import Users

/// Runs a platform whose worker is idle, so that the test decides when Apple is notified.
func withRestingOutbox<T: Sendable>(_ body: @Sendable @escaping (TestPlatform) async throws -> T) async throws -> T {
    try await TestPlatform.run({ $0.outboxConcurrency = 0 }) { platform in try await body(platform) }
}

extension TestPlatform {
    /// The outbox handler of a process.
    func revokeAtApple(
        timeout: Duration? = nil, logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ) -> RevokeAtApple {
        var apple = settings.apple
        if let timeout { apple.timeout = timeout }
        return RevokeAtApple(
            database: PlatformDatabase(pool), keyring: settings.keyring,
            apple: AppleClient(apple, http: .forApple, logger: logger), logger: logger)
    }

    /// Runs all revocations that are due at this time.
    /// - Returns: their number.
    @discardableResult
    func runRevocations(at now: Date = Date(), by handler: OutboxWorker.Handler? = nil) async throws -> Int {
        try await OutboxWorker(
            pool: pool, prelude: PlatformDatabase.prelude,
            handlers: [AppleRevocation.outboxKind: handler ?? revokeAtApple().handle],
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, now: { now }
        ).pass(at: now)
    }

    /// Makes all pending work older by this time. Apple's clock does not move, because Apple would then refuse Espalier's signatures.
    func pass(_ seconds: TimeInterval) async throws {
        _ = try await ownerPool.run([
            "UPDATE outbox SET due_at = due_at - make_interval(secs => \(seconds))",
            "UPDATE apple_revocation SET waiting_since = waiting_since - make_interval(secs => \(seconds))",
        ])
    }

    /// Deletes the user with an API key.
    func delete(_ login: LoggedIn) async throws {
        let answer = try await call("DELETE", "/tenants/\(login.request.tenant.slug)/users/\(login.user)")
        try #require(answer.status == 204, "\(answer.body)")
    }

    /// The record of a user's deletion, as the tenant sees it.
    func record(of login: LoggedIn) async throws -> [String: any Sendable] {
        let answer = try await call("GET", "/tenants/\(login.request.tenant.slug)/user-deletions?user=\(login.user)")
        try #require(answer.status == 200, "\(answer.body)")
        return try #require(answer.data.first)
    }

    /// The result at Apple, team by team: `pending apple_unavailable 1`.
    func fate(of login: LoggedIn) async throws -> [String] {
        (try await record(of: login)["apple"] as? [[String: any Sendable]] ?? []).map { grant in
            [grant["status"] as? String, grant["reason"] as? String, (grant["attempts"] as? Int).map(String.init)]
                .compactMap(\.self).joined(separator: " ")
        }
    }

    /// Whether Apple has a consent of the person for the team.
    func consents(_ person: String, to team: String) async throws -> Bool {
        let id = person.lowercased().replacing(" ", with: "-")
        let sent = try await simulator.send(.GET, "/simulator/people/\(id)/consents", [:])
        let answer = try JSONSerialization.jsonObject(with: sent) as? [String: any Sendable]
        let consents = try #require(answer?["consents"] as? [[String: any Sendable]])
        return consents.contains { $0["team"] as? String == team }
    }

    /// Gives Acme its own connection that belongs to the shared connection's team.
    func joinSharedTeam() async throws {
        let (team, servicesID) = (shared.team, "com.example.acme.\(shared.team.lowercased())")
        try await simulator.send(
            .PUT, "/simulator/services-ids/\(servicesID)",
            ["team": team, "display_name": "Acme", "return_urls": [acme.return_url]])
        let key = try await simulator.makeKey(of: team)
        let created = try await call(
            "POST", "/tenants/acme/connections",
            ["team_id": team, "services_id": servicesID, "key_id": key.id, "private_key": key.pem])
        try #require(created.status == 201, "\(created.body)")
        let activated = try await call("POST", "/tenants/acme/connections/\(created.resourceID)/activate")
        try #require(activated.status == 200, "\(activated.body)")
        try await eventually("sign-ins use it") {
            try await TestBrowser(self).authorize(.init(acme))["client_id"] == servicesID
        }
    }

    /// Removes the user's Apple refresh token, as after a native sign-in without a code.
    func withholdToken(_ login: LoggedIn) async throws {
        _ = try await ownerPool.run("UPDATE identity SET sealed_refresh_token = NULL WHERE user_id = \(ID<User>(login.user))")
    }

    /// Adds a tenant on the shared connection.
    func anotherTenant(_ slug: String) async throws -> SeedResult.TenantResult {
        let tenant = try await call("POST", "/tenants", ["slug": slug, "name": slug.capitalized])
        let application = try await call(
            "POST", "/tenants/\(slug)/applications", ["name": "Web", "kind": "native", "redirect_uris": [Self.redirectURI]])
        try #require((tenant.status, application.status) == (201, 201), "\(tenant.body) \(application.body)")
        let result: [String: Any] = [
            "slug": slug, "id": tenant.resourceID, "issuer": "\(Self.publicURL)/t/\(slug)", "connection": "shared",
            "return_url": "\(Self.publicURL)/auth/apple/callback", "api_keys": [[String: Any]](),
            "applications": [
                ["client_id": application.resourceID, "name": "Web", "redirect_uris": [Self.redirectURI]] as [String: Any]
            ],
        ]
        let made = try JSONDecoder().decode(SeedResult.TenantResult.self, from: try JSONSerialization.data(withJSONObject: result))
        try await eventually("sign-ins know it") { try await TestBrowser(self).authorize(.init(made)).status == 302 }
        return made
    }
}
