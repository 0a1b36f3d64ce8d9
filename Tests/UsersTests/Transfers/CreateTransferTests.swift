import Foundation
import Server
import TestSupport
import Testing

@Suite("Create transfer")
struct CreateTransferTests {
    @Test("it has the connection's team and Services ID, is shown, listed and audited; the connection does not change")
    func created() async throws {
        try await TestPlatform.run { platform in
            _ = try await platform.signIn(["Ada Lovelace", "Alan Turing"])
            let connection = try await platform.ownConnection()
            let created = try await platform.call(
                "POST", "/tenants/acme/transfers", key: platform.acme.api_keys[0].secret,
                ["connection_id": connection, "to_team_id": "Z9Y8X7W6V5"])
            #expect(created.status == 201, "\(created.body)")
            let path = "/tenants/acme/transfers/\(created.resourceID)"
            #expect(created.header("Location") == "/v1\(path)")
            #expect(created.string("from_team_id") == platform.own.team)
            #expect(created.string("to_team_id") == "Z9Y8X7W6V5")
            #expect(created.string("services_id") == platform.own.servicesID)
            #expect(created.string("status") == "open")
            #expect(created.string("closes_at") == nil)
            #expect(created.userCounts == [2, 0, 0, 0])
            #expect(try await platform.call("GET", path).sorted == created.sorted)
            #expect(try await platform.call("GET", "/tenants/acme/transfers").ids == [created.resourceID])
            #expect(try await platform.audited("createTransfer").map(\.subject) == [created.resourceID])
        }
    }

    @Test("a second transfer between the same teams is refused, also concurrently; after the first is closed, it is accepted")
    func twice() async throws {
        try await TestPlatform.run { platform in
            let connection = try await platform.ownConnection()
            let body = ["connection_id": connection, "to_team_id": "Z9Y8X7W6V5"]
            let answers = try await withThrowingTaskGroup(of: TestBrowser.Answer.self) { tasks in
                for _ in 0..<4 { tasks.addTask { try await platform.call("POST", "/tenants/acme/transfers", body) } }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.map(\.status).sorted() == [201, 409, 409, 409])
            #expect(answers.filter { $0.status == 409 }.allSatisfy { $0.isProblem(409, "already_exists") })
            let first = try #require(answers.first { $0.status == 201 }).resourceID
            #expect(try await platform.call("POST", "/tenants/acme/transfers/\(first)/close").string("status") == "closed")
            #expect(try await platform.call("POST", "/tenants/acme/transfers", body).status == 201)
        }
    }

    @Test("an invalid Team ID and the connection's own are refused by name; an unknown or foreign connection is not found")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let connection = try await platform.ownConnection()
            for team in ["short", platform.own.team, "z9y8x7w6v5"] {
                let answer = try await platform.call(
                    "POST", "/tenants/acme/transfers", ["connection_id": connection, "to_team_id": team])
                #expect(answer.isProblem(400, "invalid"))
                #expect(answer.refusedFields == ["to_team_id"])
            }
            for other in ["connection_01jd8x3v6qf9wr2m5tzk7h4c0n", "nonsense"] {
                let body = ["connection_id": other, "to_team_id": "Z9Y8X7W6V5"]
                #expect(try await platform.call("POST", "/tenants/acme/transfers", body).isProblem(404, "not_found"))
            }
            let body = ["connection_id": connection, "to_team_id": "Z9Y8X7W6V5"]
            #expect(try await platform.call("POST", "/tenants/globex/transfers", body).isProblem(404, "not_found"))
        }
    }

    @Test("another tenant can neither read nor change a transfer")
    func strangers() async throws {
        try await TestPlatform.run { platform in
            let transfer = try await platform.createTransfer(to: "Z9Y8X7W6V5")
            let id = transfer.split(separator: "/").last ?? ""
            let globex = platform.globex.api_keys[0].secret
            #expect(try await platform.call("GET", "/tenants/globex/transfers", key: globex).ids.isEmpty)
            for (method, step) in [
                ("GET", ""), ("GET", "/users"), ("POST", "/collect"), ("POST", "/exchange"), ("POST", "/retry"), ("POST", "/close"),
            ] {
                #expect(try await platform.call(method, "/tenants/globex/transfers/\(id)\(step)", key: globex).status == 404, "\(step)")
                #expect(try await platform.call(method, "\(transfer)\(step)", key: globex).status == 404, "\(step)")
            }
            #expect(try await platform.call("GET", transfer).string("status") == "open")
        }
    }
}
