import Foundation
import Postgres
import Server
import TestSupport
import Testing

@testable import Mail

@Suite("Get mail")
struct GetMailTests {
    @Test("operators see the server without its password, the waiting mails and the last results")
    func shown() async throws {
        let settings = try MailSettings(
            url: "smtps://hush-user:hush-password@mail.acme.example", sender: "Acme <login@acme.example>")
        try await TestPlatform.run({
            $0.mail = settings
            $0.outboxConcurrency = 0
        }) { platform async throws in
            let first = try await platform.call("GET", "/platform/mail")
            #expect(first.status == 200, "\(first.body)")
            #expect(first.json["object"] as? String == "mail")
            #expect(first.json["has_sender"] as? Bool == true)
            let server = try #require(first.json["server"] as? [String: Any])
            #expect(server["host"] as? String == "mail.acme.example")
            #expect(server["port"] as? Int == 465)
            #expect(server["tls"] as? String == "implicit")
            #expect(server["has_password"] as? Bool == true)
            #expect(first.json["from"] as? String == "Acme <login@acme.example>")
            #expect((first.json["waiting"] as? [String: Any])?["mails"] as? Int == 0)
            #expect(!first.body.contains("hush"))

            let now = Date()
            try await platform.queue(of: try platform.owner(platform.acme), at: now)
            try await platform.queue(of: try platform.owner(platform.globex), at: now.addingTimeInterval(1))
            // An expired mail does not wait.
            try await platform.queue(of: try platform.owner(platform.globex), lasts: 1, at: now.addingTimeInterval(-100))
            for result in [MailResult(.sent, reply: 250), .init(.tlsFailed), .init(.senderRefused, reply: 535)] {
                _ = try await platform.ownerPool.run(MailStatus.record(result, at: now))
            }
            let second = try await platform.call("GET", "/platform/mail")
            let waiting = try #require(second.json["waiting"] as? [String: Any])
            #expect(waiting["mails"] as? Int == 2)
            #expect(waiting["since"] is String)
            #expect(second.json["last_sent_at"] is String)
            let failure = try #require(second.json["last_failure"] as? [String: Any])
            #expect(failure["outcome"] as? String == "sender_refused")
            #expect(failure["reply_code"] as? Int == 535)
        }
    }

    @Test("without a sender, it says so")
    func none() async throws {
        try await TestPlatform.run { platform async throws in
            let answer = try await platform.call("GET", "/platform/mail")
            #expect(answer.status == 200)
            #expect(answer.json["has_sender"] as? Bool == false)
            #expect(answer.json["server"] == nil && answer.json["from"] == nil)
        }
    }

    @Test("only an operator with the scope reads it")
    func permissions() async throws {
        try await TestPlatform.run { platform async throws in
            #expect(try await platform.call("GET", "/platform/mail", key: try await platform.narrowKey("users:read")).status == 403)
            #expect(try await platform.call("GET", "/platform/mail", key: platform.acme.api_keys[0].secret).status == 403)
            #expect(try await platform.call("GET", "/platform/mail", key: try await platform.narrowKey("tenants:read")).status == 200)
        }
    }
}
