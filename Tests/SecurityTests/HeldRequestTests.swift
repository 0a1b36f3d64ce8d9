import Foundation
import TestSupport
import Testing

/// A caller begins a request, loses its permission, and then sends the end of the body.
@Suite("Attack: requests held open")
struct HeldRequestTests {
    @Test("the permission at the end of the body counts: of an API key, and of a person")
    func slowBody() async throws {
        try await TestPlatform.run { platform in
            let issued = try await platform.issue("Deployment", scopes: ["api_keys:write", "members:write"])
            let (ada, program) = (try await TerminalPerson(platform), TerminalPerson.Program())
            let token = try #require(try await ada.redeem(try await ada.code(program), program).string("access_token"))
            let member = try #require(try await platform.call("GET", "/tenants/acme/members").ids.first)
            #expect(try await platform.call("PATCH", "/tenants/acme/members/\(member)", ["role": "admin"]).status == 200)
            let allowed: [String: any Sendable] = ["email": "mary@example.com", "role": "viewer"]
            #expect(try await platform.call("POST", "/tenants/acme/invitations", key: token, allowed).status == 201)
            let key = #"{"name": "Backdoor", "scopes": ["members:write"]}"#
            let invitation = #"{"email": "alias@example.com", "role": "viewer"}"#
            for (secret, path, body, end) in [
                (try #require(issued.string("secret")), "api-keys", key, ("POST", "api-keys/\(issued.resourceID)/revoke")),
                (token, "invitations", invitation, ("DELETE", "members/\(member)")),
            ] {
                let head = """
                    POST /v1/tenants/acme/\(path) HTTP/1.1\r\nHost: \(URL(string: TestPlatform.publicURL)?.host() ?? "")\r\n\
                    Authorization: Bearer \(secret)\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\
                    Connection: close\r\n\r\n
                    """
                let answer = try await RawConnection.send(
                    head + body.prefix(5),
                    then: {
                        let ended = try await platform.call(end.0, "/tenants/acme/\(end.1)")
                        #expect(ended.status < 300, "\(ended.body)")
                    }, String(body.dropFirst(5)), to: platform)
                #expect(["401", "403", "404"].contains { answer.hasPrefix("HTTP/1.1 \($0)") }, "\(path): \(answer)")
            }
            #expect(try await platform.count("api_key", where: "name = 'Backdoor'") == 0)
            #expect(try await platform.count("invitation", where: "email = 'alias@example.com'") == 0)
        }
    }
}
