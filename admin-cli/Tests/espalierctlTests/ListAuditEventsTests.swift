import Foundation
import Testing

@testable import espalierctl

@Suite("espalierctl audit list")
struct ListAuditEventsTests {
    private static func event(_ actor: String) -> String { Examples.auditEvent.replacing("apikey_1", with: actor) }

    /// - Parameter isPermitted: whether the caller may list people and keys.
    private func server(isPermitted: Bool = true) throws -> StubServer {
        try StubServer { request in
            switch request.path.split(separator: "/").last {
            case "audit-events":
                .init(body: Examples.list(Self.event("apikey_1"), Self.event("person_1"), Self.event("person_9"), Self.event("system")))
            case "members" where isPermitted, "operators" where isPermitted: .init(body: Examples.list(Examples.member))
            case "api-keys" where isPermitted: .init(body: Examples.list(Examples.apiKey))
            default: .problem(403, #"{"detail":"No.","code":"insufficient_scope"}"#)
            }
        }
    }

    @Test("the table has the names of people and keys, and JSON has their IDs")
    func names() async throws {
        let server = try server()
        defer { server.stop() }
        let environment = Run.environment(for: server)
        let run = try await Run("audit", "list", "--tenant", "acme", environment: environment)
        let actors = run.output.split(separator: "\n").map { $0.split(separator: #/ {2,}/#)[1] }
        #expect(actors == ["ACTOR", "billing (key)", "Ada Lovelace", "person_9", "system"], "\(run.output)")
        #expect(
            server.calls.dropFirst() == ["GET /v1/tenants/acme/members?limit=100", "GET /v1/tenants/acme/api-keys?limit=100"])
        let json = try await Run("audit", "list", "--tenant", "acme", "--jq", ".data[].actor", environment: environment)
        #expect(json.output == "apikey_1\nperson_1\nperson_9\nsystem\n" && server.received.count == 4)
        let platform = try await Run("audit", "list", "--platform", environment: environment)
        #expect(platform.output.contains("Ada Lovelace") && server.calls.last == "GET /v1/platform/api-keys?limit=100")
    }

    @Test("without a permission for the names, the table has the IDs")
    func unnamed() async throws {
        let server = try server(isPermitted: false)
        defer { server.stop() }
        let run = try await Run("audit", "list", "--tenant", "acme", environment: Run.environment(for: server))
        #expect(run.status == 0 && run.output.contains("apikey_1") && run.messages.isEmpty, "\(run.messages)")
    }

    @Test(
        "--actor accepts the address and the name of a member",
        arguments: ["ada@example.com", "Ada@EXAMPLE.com", "Ada Lovelace", "ada lovelace"])
    func address(email: String) async throws {
        let server = try server()
        defer { server.stop() }
        let run = try await Run("audit", "list", "--tenant", "acme", "--actor", email, "--json", environment: Run.environment(for: server))
        #expect(run.status == 0)
        #expect(server.calls == ["GET /v1/tenants/acme/members?limit=100", "GET /v1/tenants/acme/audit-events?actor=person_1"])
    }

    @Test(
        "an address of nobody is an error, and no event is read",
        arguments: ["grace@example.com", "ada@example.com\u{301}", "\u{600}ada@example.com", "ada@example.com\u{200D}"])
    func nobody(email: String) async throws {
        let server = try server()
        defer { server.stop() }
        let run = try await Run("audit", "list", "--tenant", "acme", "--actor", email, environment: Run.environment(for: server))
        #expect(run.status == 1 && run.messages.contains("error: No member has the address "), "\(run.messages)")
        #expect(run.messages.contains("`espalierctl members list --tenant acme` shows the addresses."))
        let platform = try await Run("audit", "list", "--platform", "--actor", email, environment: Run.environment(for: server))
        #expect(platform.messages.contains("error: No operator has the address "))
        #expect(!server.calls.contains { $0.contains("audit-events") })
    }

    @Test("a name of nobody or of several people is an error, and no event is read", arguments: [false, true])
    func ambiguousName(isShared: Bool) async throws {
        let other = Examples.member.replacing("person_1", with: "person_2").replacing("ada@", with: "a.l@")
        let server = try StubServer(answering: .init(body: Examples.list(Examples.member, other)))
        defer { server.stop() }
        let name = isShared ? "Ada Lovelace" : "Ada Lovelace\u{301}"
        let run = try await Run("audit", "list", "--tenant", "acme", "--actor", name, environment: Run.environment(for: server))
        #expect(run.status == 1 && !server.calls.contains { $0.contains("audit-events") })
        if isShared {
            #expect(
                run.messages == "error: 2 members have the name Ada Lovelace.\nnext: Pass one of the IDs: person_1, person_2.\n",
                "\(run.messages)")
        } else {
            #expect(run.messages.hasPrefix("error: No member has the name "), "\(run.messages)")
            #expect(run.messages.contains("`espalierctl members list --tenant acme` shows the names."), "\(run.messages)")
        }
    }

    @Test(
        "an ID, `system` and `apple` need no list of members",
        arguments: ["person_1", "apikey_01hq3r8x2mfbw8t6v0c5k9s4ye", "iat_1", "system", "apple"])
    func id(actor: String) async throws {
        let server = try server()
        defer { server.stop() }
        let run = try await Run("audit", "list", "--tenant", "acme", "--actor", actor, "--json", environment: Run.environment(for: server))
        #expect(run.status == 0 && server.calls == ["GET /v1/tenants/acme/audit-events?actor=\(actor)"], "\(run.messages)")
    }
}
