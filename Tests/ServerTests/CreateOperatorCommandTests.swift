import Access
import Foundation
import Postgres
import Server
import TestSupport
import Testing

/// `espalier operators create` as a process.
@Suite("Create operator command")
struct CreateOperatorCommandTests {
    private let owner: DatabasePool
    private let environment: [String: String]

    init() async throws {
        let database = try await TestDatabase.make()
        owner = try TestDatabase.pool(database.ownerURL)
        environment = ServedPlatform.settings(databaseURL: database.serverURL, appleURL: "https://appleid.apple.com")
    }

    private func create(_ email: String) async throws -> Program.Exit {
        try await Program.run(["operators", "create", "--email", email], environment: environment)
    }

    @Test("a fresh installation prints one link, which is valid for a day, and the platform's trail has it")
    func creates() async throws {
        let exit = try await create("ada@example.com")
        #expect(exit.code == 0, "\(exit.errors)")
        let link = try #require(exit.output.split(separator: "\n").first)
        #expect(exit.output.split(separator: "\n").count == 1)
        #expect(link.contains(/\/account\/invitation\?token=inv_[0-9A-Za-z]{43}$/))
        let rows = try await owner.run(
            """
            SELECT role, email, tenant_id = \(UUID.platform) AS is_of_platform, invited_by,
                expires_at BETWEEN now() + interval '23 hours' AND now() + interval '24 hours' AS is_for_a_day, t::text AS row
            FROM invitation t
            """)
        let row = try #require(rows.first)
        for (column, value) in [("role", "operator"), ("email", "ada@example.com"), ("invited_by", "system")] {
            #expect(try row.get(column, as: String.self) == value)
        }
        for column in ["is_of_platform", "is_for_a_day"] { #expect(try row.get(column, as: Bool.self), "\(column)") }
        #expect(try !row.get("row", as: String.self).contains(link.suffix(43)))
        let trail = try await owner.run("SELECT actor, action FROM audit_event WHERE tenant_id = \(UUID.platform)")
        #expect(try trail.map { try $0.get("actor", as: String.self) } == ["system"])
        #expect(try trail.map { try $0.get("action", as: String.self) } == ["createOperator"])
    }

    @Test("a second link for the address and an invalid address are refused with the reason")
    func refuses() async throws {
        #expect(try await create("ada@example.com").code == 0)
        let again = try await create("ADA@example.com")
        #expect(again.code == 1 && again.output == "" && again.complaints.count == 1)
        #expect(again.errors.contains("open invitation"))
        for address in ["ada", "ada@localhost", ""] { #expect(try await create(address).code == 2, "\(address)") }
    }
}
