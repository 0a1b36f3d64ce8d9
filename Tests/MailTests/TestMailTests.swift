import Foundation
import Postgres
import Server
import TestSupport
import Testing
import Web

@testable import Mail

@Suite("Test mail")
struct TestMailTests {
    @Test("a test mail is sent at once, and its result is shown and audited without the address")
    func sent() async throws {
        try await withMail { platform, server async throws in
            let answer = try await platform.call("POST", "/platform/mail/test", ["to": "ada@acme.example"])
            #expect(answer.status == 200, "\(answer.body)")
            #expect(answer.json["object"] as? String == "mail_test")
            #expect(answer.json["outcome"] as? String == "sent")
            #expect(answer.json["reply_code"] as? Int == 250)
            #expect(server.mails.map(\.recipient) == ["ada@acme.example"])
            #expect(server.mails[0].header("Subject") == "Test mail from Espalier")
            let trail = try await platform.ownerPool.run(
                "SELECT concat(subject, before, after) AS event FROM audit_event WHERE action = 'testMail'")
            #expect(trail.count == 1)
            let event = try trail[0].get("event", as: String.self)
            #expect(event.contains("mail_") && !event.contains("ada"), "\(event)")
            #expect(platform.installation.metrics.text.contains("espalier_mails_total{outcome=\"sent\"} 1\n"))
            #expect(try await platform.call("GET", "/platform/mail").json["last_sent_at"] is String)
        }
    }

    @Test("the audit trail has the test mail before the server has it")
    func auditedFirst() async throws {
        try await withMail(behavior { $0.holdsMails = true }) { platform, server async throws in
            async let answer = platform.call("POST", "/platform/mail/test", ["to": "ada@acme.example"])
            try await eventually("the server has the mail") { server.held == 1 }
            #expect(try await platform.ownerPool.run("SELECT FROM audit_event WHERE action = 'testMail'").count == 1)
            server.release()
            #expect(try await answer.status == 200)
        }
    }

    @Test("a failure is a result with the code of the server's reply, and not its text")
    func failed() async throws {
        try await withMail(behavior { $0.replies = ["RCPT": ["550 no ada@acme.example"], "greeting": ["554 no"]] }) {
            platform, server async throws in
            for (outcome, code) in [("sender_refused", 554), ("recipient_refused", 550)] {
                let answer = try await platform.call("POST", "/platform/mail/test", ["to": "ada@acme.example"])
                #expect(answer.status == 200)
                #expect(answer.json["outcome"] as? String == outcome)
                #expect(answer.json["reply_code"] as? Int == code)
                #expect(!answer.body.contains("ada"))
            }
            #expect(server.mails.isEmpty)
            let shown = try await platform.call("GET", "/platform/mail")
            #expect((shown.json["last_failure"] as? [String: Any])?["outcome"] as? String == "recipient_refused")
        }
    }

    @Test("without a sender, the response names the settings")
    func none() async throws {
        try await TestPlatform.run { platform async throws in
            let answer = try await platform.call("POST", "/platform/mail/test", ["to": "ada@acme.example"])
            #expect(answer.status == 409)
            #expect(answer.json["code"] as? String == "conflict")
            #expect(answer.body.contains("ESPALIER_SMTP_URL") && answer.body.contains("ESPALIER_MAIL_FROM"))
        }
    }

    @Test(
        "an invalid address sends nothing",
        arguments: [
            "ada", "ada@acme.example\r\nRCPT TO:<eve@globex.example>", "ada@acme.example,eve@globex.example", "ada\u{600}@acme.example",
            "a@b@c", "ada@localhost", "ada@127.0.0.1",
        ])
    func invalid(address: String) async throws {
        try await withMail { platform, server async throws in
            let answer = try await platform.call("POST", "/platform/mail/test", ["to": address])
            #expect(answer.status == 400, "\(answer.body)")
            #expect(server.connections == 0)
        }
    }

    @Test("test mails are limited per minute")
    func limited() async throws {
        try await withMail { platform, server async throws in
            var statuses: [Int] = []
            for _ in 0..<3 { statuses.append(try await platform.call("POST", "/platform/mail/test", ["to": "ada@acme.example"]).status) }
            #expect(statuses == [200, 200, 429])
            #expect(server.mails.count == 2)
        }
    }

    @Test("only an operator with the scope may send one")
    func permissions() async throws {
        try await withMail { platform, server async throws in
            let body = ["to": "ada@acme.example"]
            #expect(
                try await platform.call("POST", "/platform/mail/test", key: try await platform.narrowKey("tenants:read"), body).status
                    == 403)
            #expect(try await platform.call("POST", "/platform/mail/test", key: platform.acme.api_keys[0].secret, body).status == 403)
            #expect(server.connections == 0)
        }
    }
}
