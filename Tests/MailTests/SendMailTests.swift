import Access
import Foundation
import Outbox
import Postgres
import Sealing
import Server
import ServiceLifecycle
import Tenancy
import TestSupport
import Testing
import Web

@testable import Mail

@Suite("Send mail")
struct SendMailTests {
    @Test("a queued mail is sealed, is sent once, and leaves no row")
    func sent() async throws {
        try await withMail { platform, server async throws in
            let (owner, log, metrics) = (try platform.owner(platform.acme), RecordedLog(), Metrics())
            try await platform.queue(of: owner, to: "ada@acme.example")
            #expect(try await platform.counts() == .init(mails: 1, work: 1))
            let stored = try await platform.ownerPool.run("SELECT sealed_message FROM mail")[0].get("sealed_message", as: [UInt8].self)
            #expect(!String(decoding: stored, as: UTF8.self).contains("acme"))

            try await platform.pass(log, metrics: metrics)
            #expect(server.mails.map(\.recipient) == ["ada@acme.example"])
            #expect(server.mails[0].part("plain") == "Your link: https://acme.example/?hush")
            #expect(try await platform.counts() == .init(mails: 0, work: 0))
            try await platform.pass(log, at: Date().addingTimeInterval(3600))
            #expect(server.mails.count == 1)
            #expect(metrics.text.contains("espalier_mails_total{outcome=\"sent\"} 1\n"))
            for secret in ["ada", "acme.example", "hush", "Hello"] { #expect(!log.text.contains(secret)) }
        }
    }

    @Test("a transaction that fails queues no mail")
    func rolledBack() async throws {
        try await withMail { platform, server async throws in
            let owner = try platform.owner(platform.acme)
            let message = try Mail.Message(
                to: try #require(MailAddress("ada@acme.example")), subject: "Hello", text: "a", html: "a", deliverBefore: .distantFuture)
            await #expect(throws: DatabaseError.self) {
                _ = try await OwnerDatabase(platform.pool, owner: owner).run([
                    Mail.insertion(message, owner: owner, keyring: platform.settings.keyring, at: Date()), "SELECT 1 / 0",
                ])
            }
            #expect(try await platform.counts() == .init(mails: 0, work: 0))
        }
    }

    @Test("a withdrawn mail is not sent, and only its owner withdraws it")
    func withdrawn() async throws {
        try await withMail { platform, server async throws in
            let (acme, globex, id, now) = (try platform.owner(platform.acme), try platform.owner(platform.globex), UUID(), Date())
            let message = try Mail.Message(
                to: try #require(MailAddress("ada@acme.example")), subject: "a", text: "a", html: "a", deliverBefore: .distantFuture)
            let (own, other) = (OwnerDatabase(platform.pool, owner: acme), OwnerDatabase(platform.pool, owner: globex))
            _ = try await own.run(Mail.insertion(message, id: id, owner: acme, keyring: platform.settings.keyring, at: now))
            _ = try await other.run(Mail.removal(id, owner: acme))
            _ = try await other.run(Mail.removal(id, owner: globex))
            #expect(try await platform.counts() == .init(mails: 1, work: 1))
            _ = try await own.run(Mail.removal(id, owner: acme))
            #expect(try await platform.counts() == .init(mails: 0, work: 0))
            try await platform.pass()
            #expect(server.mails.isEmpty)
        }
    }

    @Test("a sealed mail opens only in its own row")
    func moved() async throws {
        try await withMail { platform, server async throws in
            let (acme, globex, log) = (try platform.owner(platform.acme), try platform.owner(platform.globex), RecordedLog())
            try await platform.queue(of: acme, to: "ada@acme.example")
            try await platform.queue(of: globex, to: "eve@globex.example")
            _ = try await platform.ownerPool.run(
                """
                UPDATE mail SET sealed_message = other.sealed_message FROM mail AS other
                WHERE mail.tenant_id = \(globex) AND other.tenant_id = \(acme)
                """)
            let now = Date()
            try await platform.pass(log, at: now)
            #expect(server.mails.map(\.recipient) == ["ada@acme.example"])
            #expect(try await platform.counts() == .init(mails: 1, work: 1))
            #expect(log.text.contains("outbox work failed") && !log.text.contains("ada"))
            // It ends with its expiry.
            try await platform.pass(log, at: now.addingTimeInterval(4000))
            #expect(try await platform.counts() == .init(mails: 0, work: 0))
            #expect(server.mails.count == 1)
        }
    }

    @Test("another tenant's transaction sees no mail")
    func isolated() async throws {
        try await withMail { platform, _ async throws in
            let (acme, globex) = (try platform.owner(platform.acme), try platform.owner(platform.globex))
            try await platform.queue(of: acme)
            let other = OwnerDatabase(platform.pool, owner: globex)
            #expect(try await other.run("SELECT FROM mail").isEmpty)
            #expect(try await other.run("DELETE FROM mail").affected == 0)
            let message = try Mail.Message(
                to: try #require(MailAddress("ada@acme.example")), subject: "a", text: "a", html: "a", deliverBefore: .distantFuture)
            await #expect(throws: DatabaseError.self) {
                _ = try await other.run(Mail.insertion(message, owner: acme, keyring: platform.settings.keyring, at: Date()))
            }
            #expect(try await OwnerDatabase(platform.pool, owner: .platform).run("SELECT FROM mail").isEmpty)
        }
    }

    @Test("two processes together send each mail once, over at most four connections each")
    func processes() async throws {
        try await withMail(behavior { $0.holdsMails = true }) { platform, server async throws in
            for number in 0..<12 {
                try await platform.queue(of: number < 6 ? platform.owner(platform.acme) : UUID(), to: "ada\(number)@acme.example")
            }
            let log = RecordedLog()
            let services = try [platform.jobs(), platform.jobs()].map { $0.worker(prelude: PlatformDatabase.prelude, concurrency: 32) }
            let group = ServiceGroup(configuration: .init(services: services.map { .init(service: $0) }, logger: log.logger))
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await group.run() }
                try await eventually("both processes are busy") { server.held == 8 }
                #expect(server.open == 8)
                server.release()
                try await eventually("all mails are sent") { try await platform.counts() == .init(mails: 0, work: 0) }
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
            }
            #expect(Set(server.mails.map(\.recipient)).count == 12 && server.mails.count == 12)
        }
    }

    @Test("the many mails of one tenant leave connections for others")
    func share() async throws {
        try await withMail(behavior { $0.holdsMails = true }) { platform, server async throws in
            let owner = try platform.owner(platform.acme)
            for number in 0..<20 { try await platform.queue(of: owner, to: "ada\(number)@acme.example") }
            let log = RecordedLog()
            let worker = try platform.jobs().worker(prelude: PlatformDatabase.prelude, concurrency: 32)
            let group = ServiceGroup(configuration: .init(services: [.init(service: worker)], logger: log.logger))
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await group.run() }
                try await eventually("the tenant has its share") { server.held == 2 }
                try await platform.queue(of: try platform.owner(platform.globex), to: "eve@globex.example")
                try await eventually("the other tenant's mail does not wait") { server.held == 3 }
                server.release()
                try await eventually("all mails are sent") { try await platform.counts() == .init(mails: 0, work: 0) }
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
            }
            #expect(server.mails.count == 21)
        }
    }

    @Test("a server with a sender delivers a mail that was queued")
    func served() async throws {
        try await TestMailServer.run { server async throws in
            let settings = try MailSettings(url: "smtp://127.0.0.1:\(server.port)", sender: "login@acme.example")
            try await TestPlatform.run({ $0.mail = settings }) { platform async throws in
                try await platform.queue(of: try platform.owner(platform.acme))
                try await eventually("the mail arrives") { server.mails.count == 1 }
                try await eventually("no row remains") { try await platform.counts() == .init(mails: 0, work: 0) }
                #expect(platform.installation.metrics.text.contains("espalier_mails_total{outcome=\"sent\"} 1\n"))
            }
        }
    }

    @Test("without a sender, mails of an earlier configuration wait without work, and are deleted after their expiry")
    func withoutSender() async throws {
        try await TestPlatform.run { platform async throws in
            let start = Date()
            try await platform.queue(of: try platform.owner(platform.acme), lasts: 60, at: start)
            try await platform.queue(of: try platform.owner(platform.acme), lasts: 86_400, at: start)
            let jobs = try platform.jobs()
            #expect(jobs.outboxHandlers.isEmpty)
            let worker = jobs.worker(prelude: PlatformDatabase.prelude, concurrency: 4)
            #expect(try await worker.pass(at: start.addingTimeInterval(1)) == 0)
            let attempts = try await platform.ownerPool.run("SELECT sum(attempts)::bigint AS n FROM outbox WHERE kind = 'mail'")
            #expect(try attempts[0].get("n", as: Int.self) == 0)
            let database = PlatformDatabase(platform.pool)
            try await database.remove { QueuedMail.forgetExpired($0, at: start.addingTimeInterval(600)) }
            #expect(try await platform.counts() == .init(mails: 2, work: 2))
            try await database.remove { QueuedMail.forgetExpired($0, at: start.addingTimeInterval(700)) }
            #expect(try await platform.counts() == .init(mails: 1, work: 1))
        }
    }

    @Test("mails that waited without a sender are sent when there is one again")
    func resumed() async throws {
        try await withMail { platform, server async throws in
            let (start, database) = (Date(), PlatformDatabase(platform.pool))
            try await platform.queue(of: try platform.owner(platform.acme), at: start)
            try await platform.queue(of: try platform.owner(platform.globex), at: start)
            try await platform.jobs(hasSender: false).forgetMails(in: database, at: start)
            // No query for due work finds them.
            try await platform.pass(at: start.addingTimeInterval(60))
            #expect(server.connections == 0)
            #expect(try await platform.counts() == .init(mails: 2, work: 2))
            let resumed = start.addingTimeInterval(61)
            try await platform.jobs().forgetMails(in: database, at: resumed)
            try await platform.pass(at: resumed)
            #expect(server.mails.count == 2)
            #expect(try await platform.counts() == .init(mails: 0, work: 0))
        }
    }

    @Test("a suspended tenant's mails are sent, and a deleted tenant's are given up before its purge")
    func deleted() async throws {
        try await withMail { platform, server async throws in
            let (log, metrics) = (RecordedLog(), Metrics())
            try await platform.queue(of: try platform.owner(platform.acme), to: "ada@acme.example")
            try await platform.queue(of: try platform.owner(platform.globex), to: "eve@globex.example")
            #expect(try await platform.call("DELETE", "/tenants/acme?confirm=acme").status == 200)
            _ = try await platform.ownerPool.run("UPDATE tenant SET status = 'suspended' WHERE slug = 'globex'")
            try await platform.pass(log, metrics: metrics)
            #expect(server.mails.map(\.recipient) == ["eve@globex.example"])
            #expect(try await platform.counts() == .init(mails: 0, work: 0))
            #expect(log.text.contains("outcome=tenant_deleted") && !log.text.contains("ada"))
            #expect(metrics.text.contains("espalier_mails_total{outcome=\"tenant_deleted\"} 1\n"))
        }
    }

    @Test("the mails of a tenant and their work end with its purge")
    func purged() async throws {
        try await withMail { platform, server async throws in
            try await platform.queue(of: try platform.owner(platform.acme))
            try await platform.queue(of: try platform.owner(platform.globex))
            #expect(try await platform.call("DELETE", "/tenants/acme?confirm=acme").status == 200)
            _ = try await platform.ownerPool.run("UPDATE tenant SET purge_after = now() - interval '1 second' WHERE slug = 'acme'")
            #expect(try await platform.installation.purge.purgeDue() == 1)
            #expect(try await platform.counts() == .init(mails: 1, work: 1))
        }
    }

    @Test("each tenant has a bucket of mails per minute")
    func room() async throws {
        let sender = try MailSender(try MailSettings(url: "smtp://127.0.0.1:1", sender: "login@acme.example"))
        let (tenant, now) = (UUID(), ContinuousClock.now)
        for _ in 0..<MailSender.perMinute { #expect(sender.take(of: tenant, at: now).isGranted) }
        #expect(!sender.take(of: tenant, at: now).isGranted)
        #expect(sender.take(of: UUID(), at: now).isGranted)
        #expect(sender.take(of: tenant, at: now + .seconds(2)).isGranted)
    }
}
