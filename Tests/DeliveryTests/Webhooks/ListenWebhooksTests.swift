import Foundation
import Server
import TestSupport
import Testing

@Suite("Listen to webhooks")
struct ListenWebhooksTests {
    private static let path = "/tenants/acme/webhooks/listen"

    @Test("a terminal gets the events without a webhook, and after a reconnection those that it missed")
    func listens() async throws {
        try await TestPlatform.run { platform in
            async let stream = platform.call("GET", "\(Self.path)?seconds=3")
            _ = try await eventually("the terminal listens") { try await platform.count("webhook_listener") == 1 ? true : nil }
            _ = try await platform.login("Grace Hopper")
            let triggered = try await platform.call("POST", "/tenants/acme/webhooks/trigger", ["type": "key.expiring"])
            let answer = try await stream
            #expect(answer.status == 200 && answer.header("Content-Type") == "text/event-stream")
            #expect(answer.body.hasPrefix("retry: 1000\n\n"))
            #expect(answer.body.contains("event: user.created\ndata: {\"type\":\"user.created\","))
            let id = try #require(triggered.json["id"] as? String)
            #expect(answer.body.contains("id: \(id)\nevent: key.expiring\n"))
            #expect(try await platform.count("webhook_listener") == 0)

            let first = try #require(answer.body.firstMatch(of: /id: (event_[0-9a-z]+)\nevent: user\.created/)).1
            let again = try await TestBrowser(platform).get(
                "\(TestPlatform.publicURL)/v1\(Self.path)?seconds=1",
                headers: [("Authorization", "Bearer \(platform.acme.api_keys[0].secret)"), ("Last-Event-ID", String(first))])
            #expect(again.body.contains(id) && !again.body.contains(first))
        }
    }

    @Test("without a terminal, no event is kept; a caller has 2 connections; both scopes are necessary")
    func limits() async throws {
        try await TestPlatform.run { platform in
            _ = try await platform.login("Grace Hopper")
            #expect(try await platform.count("webhook_event") == 0)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { tasks in
                for number in 0..<3 {
                    tasks.addTask {
                        if number > 0 {
                            _ = try await eventually("the others listen") {
                                try await platform.count("webhook_listener") >= number ? true : nil
                            }
                        }
                        return try await platform.call("GET", "\(Self.path)?seconds=5").status
                    }
                }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [200, 200, 429])
            for scopes in [["webhooks:read"], ["users:read"]] {
                let key = try await platform.issue("Narrow", scopes: scopes).string("secret")
                #expect(try await platform.call("GET", "\(Self.path)?seconds=1", key: key).status == 403)
            }
            for query in ["seconds=0", "seconds=901", "limit=1"] {
                #expect(try await platform.call("GET", "\(Self.path)?\(query)").status == 400)
            }
        }
    }
}
