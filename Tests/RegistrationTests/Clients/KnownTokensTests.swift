import Foundation
import Server
import TestSupport
import Testing

@Suite("Known tokens")
struct KnownTokensTests {
    @Test("known tokens work from an address whose failures have used up its limit")
    func neighbor() async throws {
        try await TestPlatform.run({ $0.apiRequestsPerMinute = 30 }) { platform in
            let registrant = try await Registrant.make(platform)
            let client = try await registrant.client()
            #expect(try await registrant.send("GET", client.uri, token: client.token).status == 200)
            try await eventually("the limit is used up") {
                try await registrant.register(token: "eit_" + TestBrowser.randomText()).status == 429
            }
            for _ in 0..<5 {
                #expect(try await registrant.register().status == 201)
                #expect(try await registrant.send("GET", client.uri, token: client.token).status == 200)
            }
        }
    }

    @Test("the requests of a client have a limit")
    func limited() async throws {
        try await TestPlatform.run { platform in
            let registrant = try await Registrant.make(platform)
            let (client, other) = (try await registrant.client(), try await registrant.client())
            let answers = try await withThrowingTaskGroup(of: TestBrowser.Answer.self) { group in
                for _ in 0..<300 { group.addTask { try await registrant.send("GET", client.uri, token: client.token) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(answers.map(\.status)) == [200, 429])
            let limited = try #require(answers.first { $0.status == 429 })
            #expect(limited.isOAuthError(429, "temporarily_unavailable") && limited.header("Retry-After") != nil, "\(limited.body)")
            #expect(try await registrant.send("GET", other.uri, token: other.token).status == 200)
        }
    }
}
