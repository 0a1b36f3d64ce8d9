import Access
import Foundation
import Outbox
import Postgres
import Server
import Tenancy
import TestSupport
import Testing
import Web

@testable import Mail

@Suite("Attempts to send a mail")
struct MailAttemptTests {
    @Test("a delay, a broken connection and refused settings are retried with growing delays, then the mail arrives")
    func retried() async throws {
        try await withMail(behavior { $0.replies = ["RCPT": ["450 greylisted"], "greeting": ["", "554 no"]] }) {
            platform, server async throws in
            let (owner, log) = (try platform.owner(platform.acme), RecordedLog())
            try await platform.queue(of: owner, lasts: 86_400)
            var (now, outcomes) = (Date(), [String]())
            for attempt in 1...3 {
                // The first greeting is missing.
                let jobs = try platform.jobs(log: log) { if attempt == 1 { $0.step = .milliseconds(100) } }
                #expect(try await jobs.worker(prelude: PlatformDatabase.prelude, concurrency: 4).pass(at: now) == 1)
                #expect(server.mails.isEmpty)
                let due = try await platform.ownerPool.run("SELECT due_at FROM outbox WHERE kind = 'mail'")[0].get("due_at", as: Date.self)
                let (least, most) = [(2.5, 7.0), (5.0, 12.0), (10.0, 22.0)][attempt - 1]
                #expect((least...most).contains(due.timeIntervalSince(now)), "\(attempt): \(due.timeIntervalSince(now))")
                // Not before its time.
                #expect(
                    try await jobs.worker(prelude: PlatformDatabase.prelude, concurrency: 4).pass(at: due.addingTimeInterval(-0.5)) == 0)
                now = due
                let status = try await platform.ownerPool.run(MailStatus.find).first(MailStatus.init)
                outcomes.append(try #require(status?.failure?.outcome))
            }
            #expect(outcomes == ["timed_out", "sender_refused", "deferred"])
            #expect(log.text.contains("the mail server refused the sender"))
            try await platform.pass(log, at: now)
            #expect(server.mails.count == 1)
            #expect(try await platform.counts() == .init(mails: 0, work: 0))
            #expect(!log.text.contains("ada"))
        }
    }

    @Test("a mail that the server refuses for good is given up, and no other one", arguments: ["RCPT", "end"])
    func final(place: String) async throws {
        try await withMail(behavior { $0.replies = [place: ["550 5.1.1 ada@acme.example unknown"]] }) { platform, server async throws in
            let (owner, log) = (try platform.owner(platform.acme), RecordedLog())
            try await platform.queue(of: owner)
            try await platform.pass(log)
            #expect(try await platform.counts() == .init(mails: 0, work: 0))
            #expect(log.text.contains("mail given up"))
            #expect(!log.text.contains("ada"), "\(log.text)")
            try await platform.queue(of: owner, to: "bob@acme.example")
            try await platform.pass(log)
            #expect(server.mails.map(\.recipient) == ["bob@acme.example"])
        }
    }

    @Test("an expired mail is not sent, and its last attempt is not after its expiry")
    func expired() async throws {
        try await withMail(behavior { $0.replies = ["MAIL": [String](repeating: "451 later", count: 100)] }) {
            platform, server async throws in
            let (owner, log, metrics, start) = (try platform.owner(platform.acme), RecordedLog(), Metrics(), Date())
            try await platform.queue(of: owner, lasts: 8, at: start)
            var now = start
            var passes = 0
            while try await platform.counts().mails > 0, passes < 10 {
                try await platform.pass(log, metrics: metrics, at: now)
                passes += 1
                if let due = try await platform.ownerPool.run("SELECT due_at FROM outbox WHERE kind = 'mail'").first({
                    try $0.get("due_at", as: Date.self)
                }) {
                    #expect(due <= start.addingTimeInterval(8.001))
                    now = due
                }
            }
            #expect(passes < 10)
            #expect(try await platform.counts() == .init(mails: 0, work: 0))
            #expect(server.mails.isEmpty)
            #expect(metrics.text.contains("espalier_mails_total{outcome=\"expired\"} 1\n"))
            #expect(log.text.contains("mail given up") && log.text.contains("outcome=expired"))
        }
    }

    @Test("a mail whose acceptance was not recorded is sent at most twice")
    func twice() async throws {
        try await withMail { platform, server async throws in
            let (owner, log) = (try platform.owner(platform.acme), RecordedLog())
            try await platform.queue(of: owner, lasts: 86_400)
            // Each time, the server accepts the mail, and the process dies before it deletes the row.
            let kept = try await platform.ownerPool.run("SELECT * FROM mail")[0]
            let (id, sealed) = (try kept.get("id", as: UUID.self), try kept.get("sealed_message", as: [UInt8].self))
            for attempt in 1...4 {
                let now = Date()
                try await platform.pass(log, at: now)
                guard attempt < 3 else { continue }
                _ = try await platform.ownerPool.run([
                    """
                    INSERT INTO mail (tenant_id, id, sealed_message, state, uncertain, deliver_before, created_at)
                    VALUES (\(owner), \(id), \(sealed), 'sending', \(attempt - 1)::integer, \(now.addingTimeInterval(86_400)), \(now))
                    """,
                    Outbox.insert(Mail.outboxKind, subject: id, owner: owner, id: id, at: now),
                ])
            }
            #expect(server.mails.count == 2)
            #expect(Set(server.mails.compactMap { $0.header("Message-ID") }).count == 1)
            #expect(try await platform.counts() == .init(mails: 0, work: 0))
            #expect(log.text.contains("outcome=uncertain"))
        }
    }

    @Test("without a response to the mail itself, there are two attempts")
    func lostResponse() async throws {
        try await withMail(behavior { $0.replies = ["end": ["", "", "", ""]] }) { platform, server async throws in
            try await platform.queue(of: try platform.owner(platform.acme), lasts: 86_400)
            var now = Date()
            for _ in 1...4 {
                let jobs = try platform.jobs { $0.data = .milliseconds(100) }
                try await jobs.worker(prelude: PlatformDatabase.prelude, concurrency: 4).pass(at: now)
                now = now.addingTimeInterval(1000)
            }
            #expect(server.mails.count == 2)
            #expect(try await platform.counts() == .init(mails: 0, work: 0))
        }
    }

    @Test("attempts that end before the content do not count, however many there are")
    func interrupted() async throws {
        try await withMail(behavior { $0.replies = ["RCPT": ["", "", ""]] }) { platform, server async throws in
            let owner = try platform.owner(platform.acme)
            try await platform.queue(of: owner, lasts: 86_400)
            var now = Date()
            for number in 1...3 {
                let attempt = Task { [now] in try await platform.pass(at: now) }
                try await eventually("the server has the recipient") { server.verbs.filter { $0 == "RCPT" }.count == number }
                // As at a shutdown.
                attempt.cancel()
                try? await attempt.value
                let mail = try await platform.queued(of: owner)
                #expect(mail.state == .waiting && mail.uncertain == 0)
                // After the lease.
                now = now.addingTimeInterval(200)
            }
            try await platform.pass(at: now)
            #expect(server.mails.count == 1)
            #expect(try await platform.counts() == .init(mails: 0, work: 0))
        }
    }

    @Test("a process that has lost a mail to another one neither sends it nor changes its state")
    func overtaken() async throws {
        try await withMail { platform, _ async throws in
            let owner = try platform.owner(platform.acme)
            try await platform.queue(of: owner)
            let database = OwnerDatabase(platform.pool, owner: owner)
            let late = try await platform.queued(of: owner)
            for _ in 0..<2 { #expect(try await database.run(late.begin(1)).affected == 1) }
            let other = try await platform.queued(of: owner)
            #expect(other.uncertain == 1)
            #expect(try await database.run(other.begin(2)).affected == 1)
            #expect(try await database.run(late.begin(3)).affected == 0)
            #expect(try await database.run(late.wait(1)).affected == 0)
            #expect(try await platform.queued(of: owner).uncertain == 2)
            #expect(try await database.run(other.wait(2)).affected == 1)
            #expect(try await platform.queued(of: owner).uncertain == 1)
        }
    }
}
