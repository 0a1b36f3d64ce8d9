import Access
import Foundation
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

/// `espalier audit verify` as a process.
@Suite("Verify audit")
struct VerifyAuditTests {
    private let owner: DatabasePool
    private let environment: [String: String]
    private let acme = ID<Tenant>(at: Date())

    init() async throws {
        let database = try await TestDatabase.make()
        owner = try TestDatabase.pool(database.ownerURL)
        environment = ServedPlatform.settings(databaseURL: database.serverURL, appleURL: "https://appleid.apple.com")
        _ = try await owner.run([
            Tenant.insert(acme, slug: "acme", name: "Acme", plan: .free, at: Date()),
            Tenant.insert(ID(at: Date()), slug: "globex-corporation", name: "Globex", plan: .free, at: Date()),
        ])
        for number in 1...3 { try await append(number, to: acme.uuid) }
        try await append(1, to: .platform)
    }

    private func append(_ number: Int, to trail: UUID) async throws {
        _ = try await owner.run(AuditEvent.insert("act", of: "\(number)", owner: trail, by: .system, at: Date()))
    }

    private func verify(_ arguments: String...) async throws -> Program.Exit {
        try await Program.run(["audit", "verify"] + arguments, environment: environment)
    }

    private static func lines(_ exit: Program.Exit) -> [[String]] {
        exit.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    }

    @Test("a line for each trail: its owner, its number of events, and its head")
    func whole() async throws {
        let exit = try await verify()
        #expect(exit.code == 0, "\(exit.errors)")
        #expect(exit.errors == "")
        let lines = Self.lines(exit)
        #expect(lines.map(\.[0]) == ["(platform)", "acme", "globex-corporation"])
        #expect(lines.map(\.[1]) == ["1", "3", "0"])
        #expect(AuditTrail.Head(lines[0][2])?.sequence == 1)
        #expect(AuditTrail.Head(lines[1][2])?.sequence == 3)
        #expect(lines[2][2] == "-")
        #expect(Self.lines(try await verify("--tenant", "acme")) == [lines[1]])
        #expect(Self.lines(try await verify("--platform")) == [lines[0]])
    }

    @Test("all breaks of every trail are named, with exit code 1")
    func broken() async throws {
        _ = try await owner.run("UPDATE audit_event SET actor = 'other' WHERE tenant_id = \(acme) AND sequence = 2")
        _ = try await owner.run("DELETE FROM audit_event WHERE tenant_id = \(UUID.platform)")
        try await append(2, to: .platform)
        try await append(3, to: .platform)
        _ = try await owner.run("DELETE FROM audit_event WHERE tenant_id = \(UUID.platform) AND sequence = 1")
        let exit = try await verify()
        #expect(exit.code == 1)
        #expect(Self.lines(exit).count == 3)
        let complaints = exit.errors.split(separator: "\n")
        #expect(complaints.count == 2)
        #expect(complaints.first == "espalier: (platform): event 1 is missing")
        #expect(complaints.last?.hasPrefix("espalier: acme: event 2 (audit_") == true)
        // Intact trails are unaffected.
        #expect(try await verify("--tenant", "globex-corporation").code == 0)
    }

    @Test("a stored head reveals a trail without its end")
    func cutOff() async throws {
        let head = try #require(Self.lines(try await verify("--tenant", "acme")).first?.last)
        #expect(try await verify("--tenant", "acme", "--expect", head).code == 0)
        try await append(4, to: acme.uuid)
        #expect(try await verify("--tenant", "acme", "--expect", head).code == 0)
        _ = try await owner.run("DELETE FROM audit_event WHERE tenant_id = \(acme) AND sequence >= 3")
        #expect(try await verify("--tenant", "acme").code == 0)
        let exit = try await verify("--tenant", "acme", "--expect", head)
        #expect(exit.code == 1)
        #expect(exit.errors.contains("its end was removed"))
    }

    @Test("events without an owner are shown too")
    func orphan() async throws {
        let nobody = UUID()
        try await append(1, to: nobody)
        #expect(Self.lines(try await verify()).map(\.[0]).contains("(\(nobody.uuidString.lowercased()))"))
    }

    @Test("an unknown tenant is reported; contradictory options are wrong usage")
    func usage() async throws {
        let unknown = try await verify("--tenant", "initech")
        #expect(unknown.code == 1)
        #expect(unknown.errors == "espalier: Tenant initech not found. Check the slug.\n")
        for arguments in [["--tenant", "acme", "--platform"], ["--expect", "1:ab"], ["--platform", "--expect", "1:ab"]] {
            #expect(try await Program.run(["audit", "verify"] + arguments, environment: environment).code == 2)
        }
    }
}
