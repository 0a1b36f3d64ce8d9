import AppleSimulator
import Foundation
import HTTPTypes
import Hummingbird
import JWTKit
import Logging
import NIOCore
import Testing

@Suite("Notifications")
struct NotificationTests {
    /// Runs a server that stores the posted bodies and responds with a status.
    private func withReceiver(
        status: HTTPResponse.Status = .ok, _ test: (_ url: String, _ bodies: AsyncStream<String>) async throws -> Void
    ) async throws {
        let (bodies, received) = AsyncStream<String>.makeStream()
        let (ports, bound) = AsyncStream<Int>.makeStream()
        let router = Router()
        router.post("/notifications") { request, _ in
            received.yield(String(buffer: try await request.body.collect(upTo: 65_536)))
            return status
        }
        let application = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { bound.yield($0.localAddress?.port ?? 0) },
            logger: Logger(label: "receiver") { _ in SwiftLogNoOpLogHandler() })
        try await withThrowingTaskGroup { group in
            group.addTask { try await application.run() }
            let port = try #require(await ports.first { _ in true })
            try await test("http://127.0.0.1:\(port)/notifications", bodies)
            group.cancelAll()
        }
    }

    private func register(_ website: Website, url: String) async throws {
        expectSuccess(
            try await website.send(
                "PUT", "/simulator/teams/TEAM000001", json: #"{"bundle_ids": ["com.example.app"], "notification_url": "\#(url)"}"#))
    }

    private func notify(_ website: Website, _ type: String, form: String = "seen") async throws -> Answer {
        try await website.send(
            "POST", "/simulator/notifications",
            json: #"{"client_id": "com.example.web", "person": "Ada Lovelace", "type": "\#(type)", "form": "\#(form)"}"#)
    }

    private func claims(_ body: String, _ website: Website) async throws -> Claims {
        let envelope = try #require(try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: String])
        #expect(Set(envelope.keys) == ["payload"])
        return try await website.verified(envelope["payload"])
    }

    @Test(
        "each type arrives signed, with events as a JSON string and milliseconds",
        arguments: ["consent-revoked", "account-delete", "account-deleted", "email-enabled", "email-disabled"])
    func seen(_ type: String) async throws {
        try await withReceiver { url, bodies in
            try await withSimulator { website in
                try await register(website, url: url)
                let subject = try await website.signIn()["sub"]
                let answer = try await notify(website, type)
                #expect(answer.status == 200)
                #expect(answer["status"] as? Int == 200)
                let claims = try await claims(try #require(await bodies.first { _ in true }), website)
                #expect(claims["iss"] == "https://appleid.apple.com")
                #expect(claims["aud"] == .string(Website.clientID))
                #expect(claims["jti"]?.asString == answer["jti"] as? String)
                let text = try #require(claims["events"]?.asString)
                let events = try JSONDecoder().decode(Claims.self, from: Data(text.utf8))
                #expect(events["type"] == .string(type))
                #expect(events["sub"] == subject)
                #expect(events["event_time"]?.asInt ?? 0 > 1_000_000_000_000)
                #expect((events["email"] == "ada-lovelace@example.com") == type.hasPrefix("email-"))
                #expect((events["is_private_email"] == "false") == type.hasPrefix("email-"))
            }
        }
    }

    @Test("the documented form is an object with seconds")
    func documented() async throws {
        try await withReceiver { url, bodies in
            try await withSimulator { website in
                try await register(website, url: url)
                _ = try await website.signIn()
                expectSuccess(try await notify(website, "consent-revoked", form: "documented"))
                let claims = try await claims(try #require(await bodies.first { _ in true }), website)
                let events = try #require(claims["events"]?.asObject)
                #expect(events["event_time"]?.asInt ?? .max < 100_000_000_000)
            }
        }
    }

    @Test(
        "revoked consent and a deleted account end the consent, an email event does not",
        arguments: [("consent-revoked", true), ("account-delete", true), ("account-deleted", true), ("email-disabled", false)])
    func effect(_ type: String, ends: Bool) async throws {
        try await withReceiver { url, _ in
            try await withSimulator { website in
                try await register(website, url: url)
                _ = try await website.signIn()
                expectSuccess(try await notify(website, type))
                #expect((try await website.authorize().hiddenFields["user"] != nil) == ends)
            }
        }
    }

    @Test("the receiver's refusal is reported")
    func refusedDelivery() async throws {
        try await withReceiver(status: .internalServerError) { url, _ in
            try await withSimulator { website in
                try await register(website, url: url)
                _ = try await website.signIn()
                #expect(try await notify(website, "email-enabled")["status"] as? Int == 500)
            }
        }
    }

    @Test("a missing URL, a missing consent and an unknown type are rejected with the invalid field")
    func refusals() async throws {
        try await withSimulator { website in
            #expect(try await notify(website, "email-enabled")["field"] as? String == "client_id")
            try await register(website, url: "http://127.0.0.1:1/")
            #expect(try await notify(website, "email-enabled")["field"] as? String == "person")
            #expect(try await notify(website, "email-exploded")["field"] as? String == "type")
            _ = try await website.signIn()
            #expect(try await notify(website, "email-enabled").status == 502)
        }
    }
}
