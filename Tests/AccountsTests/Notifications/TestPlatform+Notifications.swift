import Access
@testable import Accounts
import Apple
import AsyncHTTPClient
import Foundation
import Logging
import NIOHTTP1
import Outbox
import Postgres
import Server
@testable import Signing
import Tenancy
import TestSupport
import Testing
@testable import Users
import Web

/// A notification by Apple. It is valid unless a test changes it.
struct SentNotification: Sendable {
    var type: String
    var subject: String?
    /// A Services ID or bundle ID.
    var client: String
    var happenedAt = Date()
    var issuedAt = Date()
    var id = UUID().uuidString
    var email: String?
    /// Whether the event is an object with seconds, as Apple documents, instead of a string with milliseconds, as Apple sends.
    var isAsDocumented = false
    var changes: [String: (any Sendable)?] = [:]

    var claims: [String: any Sendable] {
        let seconds = happenedAt.timeIntervalSince1970
        var event: [String: any Sendable] = ["type": type, "event_time": Int(isAsDocumented ? seconds : seconds * 1000)]
        if let subject { event["sub"] = subject }
        if let email { (event["email"], event["is_private_email"]) = (email, "true") }
        let text = try? JSONSerialization.data(withJSONObject: event)
        var claims: [String: any Sendable] = [
            "iss": "https://appleid.apple.com", "aud": client, "iat": Int(issuedAt.timeIntervalSince1970), "jti": id,
            "events": isAsDocumented ? event as any Sendable : text.map { String(decoding: $0, as: UTF8.self) },
        ].compactMapValues { $0 }
        for (name, value) in changes { claims[name] = value }
        return claims
    }
}

extension TestPlatform {
    /// Runs a platform without background work, so that the test decides when the outbox is processed.
    static func runByHand(_ body: @Sendable @escaping (TestPlatform) async throws -> Void) async throws {
        try await run({ $0.outboxConcurrency = 0 }, body)
    }

    /// Signs a notification as Apple does.
    /// - Parameter apple: the simulator that signs. Default: the shared one.
    func sign(_ notification: SentNotification, at apple: String? = nil) async throws -> String {
        let body = String(decoding: try JSONSerialization.data(withJSONObject: notification.claims), as: UTF8.self)
        let answer = try await TestBrowser(self).send(
            "POST", "\(apple ?? simulator.url)/simulator/notifications/sign", headers: [("Content-Type", "application/json")], body: body)
        return try #require(answer.json["payload"] as? String, "\(answer.body)")
    }

    /// Posts a payload as Apple does.
    /// - Parameter slug: the tenant of the address; nil for the shared connection's address.
    func post(_ payload: String, to slug: String? = "acme") async throws -> TestBrowser.Answer {
        let path = slug.map { "/t/\($0)" } ?? ""
        return try await TestBrowser(self).send(
            "POST", "\(Self.publicURL)\(path)/auth/apple/notifications", headers: [("Content-Type", "application/json")],
            body: #"{"payload": "\#(payload)"}"#)
    }

    /// Signs and posts a notification, and expects acceptance.
    func send(_ notification: SentNotification, to slug: String? = "acme") async throws {
        let answer = try await post(try await sign(notification), to: slug)
        try #require(answer.status == 200, "\(answer.body)")
    }

    /// Processes the outbox as a process does at this time.
    @discardableResult
    func processNotifications(at now: Date = Date(), counting metrics: Metrics = Metrics()) async throws -> Int {
        let quiet = Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() }
        let process = ProcessNotification(database: PlatformDatabase(pool), keyring: settings.keyring, metrics: metrics, logger: quiet)
        let handlers = [StoredNotification.outboxKind: process.handle]
        return try await OutboxWorker(
            pool: pool, prelude: PlatformDatabase.prelude, handlers: handlers, logger: quiet, now: { Date() }
        ).pass(at: now)
    }

    /// The outcome of each notification, in order.
    func outcomes() async throws -> [String] {
        try await ownerPool.run("SELECT state, outcome, users FROM apple_notification ORDER BY id").map { row in
            let (state, outcome) = (try row.get("state", as: String.self), try row.get("outcome", as: String?.self))
            return "\(state) \(outcome ?? "-") \(try row.get("users", as: Int.self))"
        }
    }

    /// Apple's `sub` of a user.
    func subject(of user: String) async throws -> String {
        let id = ID<User>(user)
        return try await ownerPool.run("SELECT apple_sub FROM identity WHERE user_id = \(id) ORDER BY created_at LIMIT 1")
            .first { try $0.get("apple_sub", as: String.self) } ?? ""
    }

    /// Moves all data of a user one hour into the past. Apple counts in whole seconds, and a test does not wait for the next one.
    func anHourAgo(_ user: String) async throws {
        let id = ID<User>(user)
        _ = try await ownerPool.run([
            "UPDATE identity SET vouched_at = vouched_at - interval '1 hour', last_login_at = last_login_at - interval '1 hour' WHERE user_id = \(id)",
            """
            UPDATE session SET created_at = created_at - interval '1 hour', refreshed_at = refreshed_at - interval '1 hour',
                vouched_at = vouched_at - interval '1 hour' WHERE user_id = \(id)
            """,
        ])
    }

    /// The user in the REST API.
    func shown(_ user: String, of slug: String = "acme") async throws -> TestBrowser.Answer {
        try await call("GET", "/tenants/\(slug)/users/\(user)")
    }
}

/// A person that no other test uses.
func somebody() -> String {
    "Person \(UUID().uuidString)"
}
