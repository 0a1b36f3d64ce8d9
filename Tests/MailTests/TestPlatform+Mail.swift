import Access
import Foundation
import Logging
import Outbox
import Postgres
import Server
import Tenancy
import TestSupport
import Testing
import Web

@testable import Mail

/// A platform with a mail server on this machine. Its own worker is idle, so that a test decides on each pass.
func withMail(
    _ behavior: TestMailServer.Behavior = .init(), _ body: @Sendable @escaping (TestPlatform, TestMailServer) async throws -> Void
) async throws {
    try await TestMailServer.run(behavior) { server async throws in
        let settings = try MailSettings(url: "smtp://127.0.0.1:\(server.port)", sender: "Acme <login@acme.example>")
        try await TestPlatform.run({
            $0.mail = settings
            $0.outboxConcurrency = 0
        }) { platform in try await body(platform, server) }
    }
}

func behavior(_ change: (inout TestMailServer.Behavior) -> Void) -> TestMailServer.Behavior {
    var behavior = TestMailServer.Behavior()
    change(&behavior)
    return behavior
}

extension TestPlatform {
    func owner(_ tenant: SeedResult.TenantResult) throws -> UUID { try #require(ID<Tenant>(tenant.id)).uuid }

    /// The background work that a process would have.
    func jobs(
        log: RecordedLog = RecordedLog(), metrics: Metrics = Metrics(), hasSender: Bool = true,
        limits change: (inout SMTPLimits) -> Void = { _ in }
    ) throws -> MailJobs {
        var limits = SMTPLimits()
        change(&limits)
        return MailJobs(
            pool: pool, tenants: Tenant.statuses, keyring: settings.keyring,
            sender: try hasSender ? settings.mail.map { try MailSender($0, limits: limits) } : nil, metrics: metrics, logger: log.logger,
            now: { Date() })
    }

    /// The queued mail of an owner that has one.
    func queued(of owner: UUID) async throws -> QueuedMail {
        let id = try #require(
            try await ownerPool.run("SELECT id FROM mail WHERE tenant_id = \(owner)").first { try $0.get("id", as: UUID.self) })
        return try #require(
            try await ownerPool.run(QueuedMail.find(ID(id), of: owner, tenants: Tenant.statuses)).first(QueuedMail.init))
    }

    /// Queues a mail in a transaction of its owner.
    func queue(
        of owner: UUID, to recipient: String = "ada@acme.example", subject: String = "Hello", lasts seconds: TimeInterval = 900,
        at now: Date = Date()
    ) async throws {
        let message = try Mail.Message(
            to: try #require(MailAddress(recipient)), subject: subject, text: "Your link: https://acme.example/?hush",
            html: "<p>Your link</p>",
            deliverBefore: now.addingTimeInterval(seconds))
        _ = try await OwnerDatabase(pool, owner: owner).run(
            Mail.insertion(message, owner: owner, keyring: settings.keyring, at: now))
    }

    struct Counts: Equatable {
        var mails, work: Int
    }

    /// The number of mails and of their entries in the outbox.
    func counts() async throws -> Counts {
        let rows = try await ownerPool.run(
            "SELECT (SELECT count(*) FROM mail) AS mails, (SELECT count(*) FROM outbox WHERE kind = 'mail') AS work")
        return Counts(mails: try rows[0].get("mails"), work: try rows[0].get("work"))
    }
}

extension TestPlatform {
    /// Takes the due work once.
    func pass(_ log: RecordedLog = RecordedLog(), metrics: Metrics = Metrics(), at now: Date = Date()) async throws {
        _ = try await jobs(log: log, metrics: metrics).worker(prelude: PlatformDatabase.prelude, concurrency: 4).pass(at: now)
    }
}
