import Foundation
import Testing

@testable import espalierctl

@Suite("espalierctl audit list")
struct ListAuditEventsTests {
    private static func event(_ actor: String) -> String { Examples.auditEvent.replacing("apikey_1", with: actor) }

    /// The access of an operator who is not a member.
    private static let access = Examples.supportAccess.replacing("person_1", with: "person_8")
    /// A person who is not an operator.
    private static let person = Examples.person.replacing("person_1", with: "person_7").replacing("grace@", with: "g.hopper@")

    /// - Parameter isPermitted: whether the caller may list people and keys.
    private func server(isPermitted: Bool = true) throws -> StubServer {
        try StubServer { request in
            switch request.path.split(separator: "/").last {
            case "audit-events":
                .init(body: Examples.list(Self.event("apikey_1"), Self.event("person_1"), Self.event("person_8"), Self.event("system")))
            case "members" where isPermitted, "operators" where isPermitted: .init(body: Examples.list(Examples.member))
            case "support-accesses" where isPermitted: .init(body: Examples.list(Self.access))
            case "people" where isPermitted: .init(body: Examples.list(Self.person))
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
        #expect(actors == ["ACTOR", "billing (key)", "Ada Lovelace", "Katherine Johnson", "system"], "\(run.output)")
        #expect(
            Array(server.calls.dropFirst()) == ["members", "support-accesses", "api-keys"].map { "GET /v1/tenants/acme/\($0)?limit=100" })
        let json = try await Run("audit", "list", "--tenant", "acme", "--jq", ".data[].actor", environment: environment)
        #expect(json.output == "apikey_1\nperson_1\nperson_8\nsystem\n" && server.received.count == 5)
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
        #expect(server.calls.last == "GET /v1/tenants/acme/audit-events?actor=person_1", "\(server.calls)")
    }

    @Test(
        "--actor finds the operator of a support access by the name, and a person in the platform's trail who is not an operator",
        arguments: [
            ("--tenant acme", "katherine johnson", "tenants/acme/audit-events?actor=person_8"),
            ("--platform", "Grace Hopper", "platform/audit-events?actor=person_7"),
            ("--platform", "g.hopper@example.com", "platform/audit-events?actor=person_7"),
            ("--platform", "Ada Lovelace", "platform/audit-events?actor=person_1"),
        ])
    func others(trail: String, actor: String, call: String) async throws {
        let server = try server()
        defer { server.stop() }
        let arguments = ["audit", "list", "--json", "--actor", actor] + trail.split(separator: " ").map(String.init)
        let run = try await Run(arguments: arguments, environment: Run.environment(for: server))
        #expect(run.status == 0 && server.calls.last == "GET /v1/\(call)", "\(run.messages)")
    }

    @Test(
        "an address of nobody is an error, and no event is read",
        arguments: ["grace@example.com", "ada@example.com\u{301}", "\u{600}ada@example.com", "ada@example.com\u{200D}"])
    func nobody(email: String) async throws {
        let server = try server()
        defer { server.stop() }
        let run = try await Run("audit", "list", "--tenant", "acme", "--actor", email, environment: Run.environment(for: server))
        #expect(run.status == 1 && run.messages.contains("error: No person in the tenant has the address "), "\(run.messages)")
        #expect(run.messages.contains("`espalierctl members list --tenant acme` shows the addresses of members."))
        let platform = try await Run("audit", "list", "--platform", "--actor", email, environment: Run.environment(for: server))
        #expect(platform.messages.contains("error: No person has the address "))
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
                run.messages == "error: 2 people have the name Ada Lovelace.\nnext: Pass one of the IDs: person_1, person_2.\n",
                "\(run.messages)")
        } else {
            #expect(run.messages.hasPrefix("error: No person in the tenant has the name "), "\(run.messages)")
            #expect(run.messages.contains("`espalierctl members list --tenant acme` shows the names of members,"), "\(run.messages)")
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
