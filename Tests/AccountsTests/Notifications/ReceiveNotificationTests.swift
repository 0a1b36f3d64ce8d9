import Access
import Foundation
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

@Suite("Receive notification")
struct ReceiveNotificationTests {
    @Test("a notification is stored sealed and answered before it is processed; a repeated one is answered and stored once")
    func stored() async throws {
        try await TestPlatform.runByHand { platform in
            let login = try await platform.login()
            let sent = SentNotification(
                type: "consent-revoked", subject: try await platform.subject(of: login.user), client: platform.own.servicesID,
                email: "ada.sealed@example.com")
            let payload = try await platform.sign(sent)
            for _ in 0..<2 {
                let answer = try await platform.post(payload)
                #expect(answer.status == 200)
                #expect(answer.body.isEmpty)
            }
            // A new signature with the same ID counts as the same notification.
            var again = sent
            again.type = "account-deleted"
            #expect(try await platform.post(try await platform.sign(again)).status == 200)
            #expect(try await platform.outcomes() == ["pending - 0"])
            #expect(try await platform.count("outbox", where: "kind = 'apple_notification'") == 1)
            #expect(try await login.lasts())
            let row = try await platform.ownerPool.run("SELECT n::text AS text, sealed_payload FROM apple_notification n")[0]
            #expect(try row.get("text", as: String.self).contains("ada.sealed") == false)
            #expect(try row.get("sealed_payload", as: [UInt8].self).count > payload.utf8.count)
            #expect(String(decoding: try row.get("sealed_payload", as: [UInt8].self), as: UTF8.self).contains("consent") == false)

            #expect(try await platform.processNotifications() == 1)
            #expect(try await platform.outcomes() == ["done applied 1"])
            #expect(try await login.isOver())
            #expect(try await platform.post(payload).status == 200)
            #expect(try await platform.processNotifications() == 0)
        }
    }

    @Test("forged, too old, from the future, for another audience: refused with the same text, and nothing is stored")
    func refused() async throws {
        try await TestPlatform.runByHand { platform in
            let good = SentNotification(type: "consent-revoked", subject: "1", client: platform.own.servicesID)
            func changed(_ change: (inout SentNotification) -> Void) async throws -> String {
                var notification = good
                change(&notification)
                return try await platform.sign(notification)
            }
            let signed = try await platform.sign(good)
            let parts = signed.split(separator: ".").map(String.init)
            func header(_ json: String) -> String {
                Data(json.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
            }
            let other = parts[2].first == "A" ? "B" : "A"
            let payloads = [
                "alg none": header(#"{"alg":"none"}"#) + ".\(parts[1]).",
                "alg HS256": header(#"{"alg":"HS256","kid":"x"}"#) + ".\(parts[1]).\(parts[2])",
                "an unknown key": header(#"{"alg":"RS256","kid":"UNKNOWN"}"#) + ".\(parts[1]).\(parts[2])",
                "another signature": "\(parts[0]).\(parts[1]).\(other)\(parts[2].dropFirst())",
                "another payload": "\(parts[0]).\(parts[1].dropLast(4))AAAA.\(parts[2])",
                "no JWS": "x", "nothing": "",
                "too old": try await changed { $0.issuedAt = Date(timeIntervalSinceNow: -7 * 86400 - 60) },
                "from the future": try await changed { $0.issuedAt = Date(timeIntervalSinceNow: 300) },
                "another issuer": try await changed { $0.changes["iss"] = "https://appleid.apple.com.example" },
                "another audience": try await changed { $0.client = "com.example.nobody" },
                "the platform's audience": try await changed { $0.client = platform.shared.servicesID },
                "no audience": try await changed { $0.changes["aud"] = .some(nil) },
                "no jti": try await changed { $0.changes["jti"] = .some(nil) },
                "an empty jti": try await changed { $0.id = "" },
                "a long jti": try await changed { $0.id = String(repeating: "x", count: 256) },
            ]
            for (what, payload) in payloads {
                let answer = try await platform.post(payload)
                #expect(answer.isProblem(400, "invalid"), "\(what): \(answer.status)")
                #expect(answer.string("detail") == "This is not a valid Apple notification for this address.", "\(what)")
            }
            for (slug, what) in [("globex", "another tenant's"), (nil, "a tenant's own, at the shared address")] as [(String?, String)] {
                #expect(try await platform.post(signed, to: slug).isProblem(400, "invalid"), "\(what)")
            }
            for body in ["", "{", "[]", "{}", #"{"payload": 1}"#, #"{"payload": null}"#] {
                let answer = try await TestBrowser(platform).send(
                    "POST", "\(platform.acme.issuer)/auth/apple/notifications", headers: [("Content-Type", "application/json")], body: body)
                #expect(answer.isProblem(400, "invalid"), "\(body)")
            }
            #expect(try await platform.count("apple_notification") == 0)
            #expect(try await platform.count("outbox") == 0)
            #expect(try await platform.post(signed).status == 200)
        }
    }

    @Test("a client of any connection of the tenant is accepted, in use or not, and so is a bundle ID")
    func anyConnection() async throws {
        try await TestPlatform.runByHand { platform in
            let team = try await AppleTeam.make(platform)
            let body = team.body(["bundle_ids": ["com.example.bundle"]])
            let made = try await platform.call("POST", "/tenants/acme/connections", body)
            #expect(made.status == 201, "\(made.body)")
            for client in [team.servicesID, "com.example.bundle", platform.own.servicesID] {
                try await platform.send(.init(type: "consent-revoked", subject: "1", client: client))
            }
            #expect(try await platform.count("apple_notification") == 3)
        }
    }

    @Test("a suspended tenant's notification is accepted; an unknown tenant's address is not found")
    func status() async throws {
        try await TestPlatform.runByHand { platform in
            let login = try await platform.login()
            let sent = SentNotification(
                type: "consent-revoked", subject: try await platform.subject(of: login.user), client: platform.own.servicesID)
            #expect(try await platform.call("POST", "/tenants/acme/suspend").status == 200)
            try await platform.send(sent)
            try await platform.processNotifications()
            #expect(try await platform.outcomes() == ["done applied 1"])
            for slug in ["nobody", "NOBODY", "a%20b"] {
                #expect(try await platform.post(try await platform.sign(sent), to: slug).isProblem(404, "not_found"), "\(slug)")
            }
        }
    }

    @Test("while Apple's keys are unavailable, the response is 503, so Apple tries again; then it is accepted")
    func keysUnavailable() async throws {
        try await OwnApple.run({ $0.outboxConcurrency = 0 }) { platform, apple in
            let payload = try await platform.sign(
                .init(type: "consent-revoked", subject: "1", client: platform.own.servicesID), at: apple.url)
            try await apple.fault(["endpoint": "keys", "fault": "status", "status": 500, "times": 1])
            let answer = try await platform.post(payload)
            #expect(answer.isProblem(503, "unavailable"))
            #expect(answer.header("Retry-After") == "5")
            #expect(try await platform.count("apple_notification") == 0)
            #expect(try await platform.post(payload).status == 200)
        }
    }

    @Test("a body that is too large is not read")
    func tooLarge() async throws {
        try await TestPlatform.runByHand { platform in
            let answer = try await platform.post(String(repeating: "x", count: 70_000))
            #expect(answer.isProblem(413, "too_large"))
        }
    }
}
