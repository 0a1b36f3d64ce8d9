import Access
import Encoding
import Foundation
import JWTKit
import Logging
import Outbox
import Postgres
import Server
@testable import Sessions
@testable import Signing
import Tenancy
import TestSupport
import Testing
@testable import Users
import Web

@Suite("Deliver logout token")
struct DeliverLogoutTokenTests {
    /// Runs a platform whose worker is idle. The first application of Acme listens at the receiver.
    private static func run(
        _ body: @Sendable @escaping (TestPlatform, WebhookReceiver) async throws -> Void
    ) async throws {
        try await WebhookReceiver.run { receiver in
            try await TestPlatform.run({
                $0.allowsPrivateWebhooks = true
                $0.outboxConcurrency = 0
            }) { platform in
                try await platform.change(platform.acme.applications[0], "backchannel_logout_uri = '\(receiver.url)'")
                try await body(platform, receiver)
            }
        }
    }

    /// The worker of a process.
    private static func worker(_ platform: TestPlatform, allowsPrivate: Bool = true, log: RecordedLog = .init()) -> OutboxWorker {
        let deliver = DeliverLogoutToken(
            databases: OwnerDatabases(platform.pool),
            signingKeys: SigningKeys(pool: platform.pool, keyring: platform.settings.keyring, now: { Date() }),
            directory: platform.installation.directory, publicURL: TestPlatform.publicURL, allowsPrivate: allowsPrivate,
            timeout: .seconds(60), logger: log.logger)
        return OutboxWorker(
            pool: platform.pool, prelude: PlatformDatabase.prelude, handlers: [DeliverLogoutToken.outboxKind: deliver.handle],
            logger: log.logger, now: { Date() })
    }

    /// The claims, read by another library according to the specification (section 2.6).
    private struct Claims: JWTPayload {
        let iss, sub, aud, sid, jti: String
        let iat, exp: Int
        let events: [String: [String: String]]
        let nonce: String?

        func verify(using algorithm: some JWTAlgorithm) throws {}
    }

    private static func verified(_ received: WebhookReceiver.Received?, _ platform: TestPlatform) async throws -> Claims {
        let token = try #require(received?.form?["logout_token"])
        let keys = JWTKeyCollection()
        try await keys.add(jwksJSON: try await TestBrowser(platform).get("\(platform.acme.issuer)/oauth2/jwks").body)
        return try await keys.verify(token, as: Claims.self)
    }

    @Test("each end of a session sends the application one logout token that verifies", arguments: 0..<6)
    func reported(number: Int) async throws {
        try await Self.run { platform, receiver in
            if number % 2 == 1 { try await platform.change(platform.acme.applications[0], "signing_algorithm = 'RS256'") }
            let login = try await platform.login()
            let other = try await platform.login()
            switch number {
            case 0: _ = try await login.browser.get("\(platform.acme.issuer)/oauth2/logout?id_token_hint=\(login.idToken)")
            case 1: _ = try await platform.revoke(login.refresh, as: Credentials(login.request.application))
            case 2: _ = try await platform.call("POST", "/tenants/acme/sessions/\(login.session)/revoke")
            case 3: _ = try await platform.call("POST", "/tenants/acme/users/\(login.user)/sessions/revoke")
            case 4:
                _ = try await login.browser.refresh(login.refresh, login.request)
                _ = try await platform.ownerPool.run("UPDATE session SET refreshed_at = refreshed_at - interval '31 seconds'")
                _ = try await login.browser.refresh(login.refresh, login.request)
            default:
                // Apple's notifications end all sessions and tokens of a user.
                let (tenant, user) = (try #require(ID<Tenant>(platform.acme.id)), try #require(ID<User>(login.user)))
                _ = try await OwnerDatabase(platform.pool, tenant: tenant).transaction { db in
                    try await Session.endAll(of: user, tenant, because: .consentRevoked, at: Date(), in: db)
                }
            }
            let now = Date()
            #expect(try await Self.worker(platform).pass(at: now) == 1)
            #expect(try await Self.worker(platform).pass(at: now + 1_000_000) == 0)

            #expect(receiver.received.count == 1)
            let received = try #require(receiver.received.first)
            #expect(received.header("content-type") == "application/x-www-form-urlencoded")
            #expect(received.form.map { Array($0.names) } == ["logout_token"])
            let header = try jwtHeader(received.form?["logout_token"])
            #expect(header["typ"] == "logout+jwt")
            #expect(header["alg"] == (number % 2 == 1 ? "RS256" : "ES256"))
            let claims = try await Self.verified(received, platform)
            #expect(claims.iss == platform.acme.issuer)
            #expect(claims.aud == login.request.application.client_id)
            #expect(claims.sub == login.user)
            #expect(claims.sid == login.session)
            #expect(claims.events == ["http://schemas.openid.net/event/backchannel-logout": [:]])
            #expect(claims.nonce == nil)
            #expect(claims.iat == Int(now.timeIntervalSince1970))
            #expect(claims.exp == claims.iat + 120)
            #expect(try await other.lasts())
            #expect(try await platform.count("outbox") == 0)
            #expect(try await platform.count("backchannel_logout") == 0)
        }
    }

    @Test("the server's own worker sends the token soon after the logout")
    func served() async throws {
        try await WebhookReceiver.run { receiver in
            try await TestPlatform.run({ $0.allowsPrivateWebhooks = true }) { platform in
                try await platform.change(platform.acme.applications[0], "backchannel_logout_uri = '\(receiver.url)'")
                let login = try await platform.login()
                _ = try await login.browser.get("\(platform.acme.issuer)/oauth2/logout?id_token_hint=\(login.idToken)")
                try await eventually("the token has arrived") { receiver.received.count == 1 }
                #expect(try await Self.verified(receiver.received.first, platform).sid == login.session)
                try await eventually("the delivery is done") { try await platform.count("backchannel_logout") == 0 }
            }
        }
    }

    @Test("a failed delivery is retried by the schedule with a new token each time, and then given up")
    func schedule() async throws {
        try await Self.run { platform, receiver in
            let login = try await platform.login()
            receiver.answer(.status(500))
            _ = try await platform.revoke(login.refresh, as: Credentials(login.request.application))
            let log = RecordedLog()
            var at = Date()
            for wait in DeliverLogoutToken.schedule {
                #expect(try await Self.worker(platform, log: log).pass(at: at) == 1)
                let due: Date = try #require(try await platform.ownerPool.run("SELECT due_at FROM outbox").first { try $0.get("due_at") })
                let waited = due.timeIntervalSince(at)
                #expect(waited >= wait * 0.9 && waited <= wait * 1.1, "\(waited)")
                #expect(try await Self.worker(platform).pass(at: due - 1) == 0)
                at = due + 1
            }
            #expect(try await Self.worker(platform, log: log).pass(at: at) == 1)
            #expect(try await platform.count("outbox") == 0)
            #expect(try await platform.count("backchannel_logout") == 0)
            #expect(receiver.received.count == DeliverLogoutToken.schedule.count + 1)
            var ids: Set<String> = []
            for received in receiver.received { ids.insert(try await Self.verified(received, platform).jti) }
            #expect(ids.count == receiver.received.count)
            #expect(log.text.contains("outcome=500") && log.text.contains("given up"))
            for received in receiver.received { #expect(!log.text.contains(received.form?["logout_token"] ?? "")) }
            #expect(!log.text.contains(login.user) && !log.text.contains(receiver.url))
        }
    }

    @Test(
        "200 and 204 are success, 400 ends the delivery, and all else is retried",
        arguments: [(200, 0, 1), (204, 0, 1), (400, 0, 1), (202, 1, 2), (302, 1, 2), (401, 1, 2), (404, 1, 2), (503, 1, 2)])
    func answers(status: Int, left: Int, attempts: Int) async throws {
        try await Self.run { platform, receiver in
            let login = try await platform.login()
            receiver.answer(status == 302 ? .redirect(to: receiver.url + "/elsewhere") : .status(status))
            _ = try await platform.revoke(login.refresh, as: Credentials(login.request.application))
            let now = Date()
            #expect(try await Self.worker(platform).pass(at: now) == 1)
            #expect(try await platform.count("outbox") == left)
            #expect(try await platform.count("backchannel_logout") == left)
            #expect(try await Self.worker(platform).pass(at: now + 6) == left)
            #expect(receiver.received.map(\.path) == Array(repeating: "/hook", count: attempts))
        }
    }

    @Test("an application without a logout URI gets no token, and neither does one that removed it or was deleted")
    func nobody() async throws {
        try await Self.run { platform, receiver in
            let quiet = try await platform.login("new", application: 2)
            _ = try await platform.revoke(quiet.refresh, as: Credentials(quiet.request.application))
            #expect(try await platform.count("backchannel_logout") == 0)
            #expect(try await platform.count("outbox") == 0)

            for end in [
                ["UPDATE application SET backchannel_logout_uri = NULL"], ["DELETE FROM application_secret", "DELETE FROM application"],
            ] {
                try await platform.change(platform.acme.applications[0], "backchannel_logout_uri = '\(receiver.url)'")
                let login = try await platform.login()
                _ = try await platform.revoke(login.refresh, as: Credentials(login.request.application))
                #expect(try await platform.count("backchannel_logout") == 1)
                for statement in end { _ = try await platform.ownerPool.run(SQL(unsafe: statement)) }
                #expect(try await Self.worker(platform).pass(at: Date()) == 1)
                #expect(try await platform.count("backchannel_logout") == 0)
                #expect(try await platform.count("outbox") == 0)
            }
            #expect(receiver.received.isEmpty)
        }
    }

    @Test("a suspended tenant's applications still receive tokens, a deleted tenant's do not")
    func tenants() async throws {
        try await Self.run { platform, receiver in
            let (first, second) = (try await platform.login(), try await platform.login())
            _ = try await platform.revoke(first.refresh, as: Credentials(first.request.application))
            _ = try await platform.revoke(second.refresh, as: Credentials(second.request.application))
            _ = try await platform.ownerPool.run(
                "UPDATE outbox SET due_at = due_at + interval '1 hour' WHERE id = (SELECT id FROM outbox ORDER BY due_at DESC LIMIT 1)")
            try await platform.suspend(platform.acme)
            #expect(try await Self.worker(platform).pass(at: Date()) == 1)
            #expect(receiver.received.count == 1)
            _ = try await platform.ownerPool.run(
                """
                UPDATE tenant SET status = 'deleted', status_before_deletion = 'active', purge_after = now() + interval '30 days'
                WHERE slug = 'acme'
                """)
            #expect(try await Self.worker(platform).pass(at: Date() + 7200) == 1)
            #expect(receiver.received.count == 1)
            #expect(try await platform.count("backchannel_logout") == 0)
        }
    }

    @Test("an address in a private network or without TLS is refused, and no request is sent")
    func privateNetworks() async throws {
        try await Self.run { platform, receiver in
            let login = try await platform.login()
            _ = try await platform.revoke(login.refresh, as: Credentials(login.request.application))
            let port = try #require(URL(string: receiver.url)?.port)
            let log = RecordedLog()
            var at = Date()
            for uri in [receiver.url, "https://127.0.0.1:\(port)/hook", "https://localhost:\(port)/hook", "https://169.254.169.254/"] {
                try await platform.change(platform.acme.applications[0], "backchannel_logout_uri = '\(uri)'")
                #expect(try await Self.worker(platform, allowsPrivate: false, log: log).pass(at: at) == 1)
                #expect(log.take().contains("outcome=address_refused"), "\(uri)")
                at += 100_000
            }
            #expect(receiver.received.isEmpty)
            #expect(try await platform.count("backchannel_logout") == 1)
        }
    }
}
