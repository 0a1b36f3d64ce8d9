import Foundation
import Server
import TestSupport
import Testing

@Suite("Mushu validate")
struct MushuValidateTests {
    @Test("a valid token shows its user and application")
    func valid() async throws {
        try await TestPlatform.run { platform in
            let client = try await MushuClient.make(platform)
            let answer = try await client.get("auth/validate", try await client.tokens(person: "Ada Lovelace").access)
            #expect(answer.status == 200)
            #expect(Set(answer.json.keys) == ["valid", "user_id", "user_type", "email", "app_id"])
            #expect(answer.json["valid"] as? Bool == true)
            #expect(answer.string("user_type") == "apple")
            #expect(answer.string("app_id") == client.application.client_id)
            #expect(answer.string("email")?.contains("@") == true)
        }
    }

    @Test("any other token is not valid, with every member null; a request without one is invalid")
    func invalid() async throws {
        try await TestPlatform.run { platform in
            let client = try await MushuClient.make(platform)
            let other = try await MushuClient.make(platform, tenant: 1).tokens()
            let web = try await client.browser.tokens(.init(platform.acme))
            for token in ["x", "a.b.c", other.access, web["access_token"] as? String, web["id_token"] as? String] {
                let answer = try await client.get("auth/validate", token)
                #expect(answer.status == 200)
                #expect(
                    answer.body == #"{"valid":false,"user_id":null,"user_type":null,"email":null,"app_id":null}"#, "\(answer.body)")
            }
            #expect(try await client.get("auth/validate", nil).invalidParts == ["header.authorization: missing"])
        }
    }

    @Test("the token of a deleted user, and of a user who was signed out everywhere, is not valid any longer")
    func ended() async throws {
        try await TestPlatform.run { platform in
            let client = try await MushuClient.make(platform)
            let (first, second) = (try await client.tokens(), try await client.tokens())
            let user = try #require(try claims(of: first.access)["sub"] as? String)
            #expect(try await client.isValid(first.access))
            #expect(try await platform.call("DELETE", "/tenants/acme/users/\(user)").status < 300)
            #expect(try await !client.isValid(first.access))
            #expect(try await platform.call("POST", "/tenants/acme/sessions/revoke?confirm=acme").status < 300)
            #expect(try await !client.isValid(second.access))
        }
    }

    @Test("made-up tokens use up the limit of their address, and valid ones do not")
    func limit() async throws {
        try await TestPlatform.run({ $0.apiRequestsPerMinute = 50 }) { platform in
            let client = try await MushuClient.make(platform)
            let tokens = try await client.tokens()
            for _ in 0..<8 { #expect(try await client.isValid(tokens.access)) }
            // The limit of the address is 5, and it grows by one in 12 s.
            var refused = try await client.get("auth/validate", "x")
            for _ in 0..<40 where refused.status == 200 { refused = try await client.get("auth/validate", "x") }
            #expect(refused.isRefusal(429), "\(refused.status) \(refused.body)")
            #expect(refused.header("Retry-After") != nil)
            #expect(try await client.isValid(tokens.access))
        }
    }
}
