import Foundation
import Testing

@testable import espalierctl

@Suite("tables")
struct TableTests {
    private static let tenant = "tenant_01hq3r8x2mfbw8t6v0c5k9s4ye"
    private static let table = Table(
        header: ["SLUG", "NAME", "PLAN", "STATUS", "CREATED", "ID"],
        rows: [
            ["acme", "Acme Incorporated of Somewhere", "enterprise", "active", "2026-11-22T07:41:00Z", tenant],
            ["globex", "Globex", "free", "suspended", "2026-11-01T00:00:00.123Z", tenant],
        ])

    private func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }

    @Test("a pipe gets everything, at every width")
    func pipe() {
        let (text, hidden) = Self.table.fitted(to: nil, identifiers: [5], ownID: 5)
        #expect(text == Self.table.text)
        #expect(hidden.isEmpty)
    }

    @Test("a terminal gets lines that fit, with the IDs whole", arguments: 34...160)
    func fits(width: Int) {
        let (text, hidden) = Self.table.fitted(to: width, identifiers: [5], ownID: 5)
        for line in lines(text) { #expect(line.count <= width) }
        #expect(text.contains(Self.tenant))
        let shown = lines(text)[0]
        #expect(["SLUG", "NAME", "PLAN", "STATUS", "CREATED", "ID"].filter { !hidden.contains($0) }.allSatisfy(shown.contains))
    }

    @Test("times become days before a text is cut, and texts are cut before a column goes")
    func order() {
        let whole = Self.table.text.split(separator: "\n")[0].count
        #expect(whole > 80)
        let days = Self.table.fitted(to: 110, identifiers: [5], ownID: 5)
        #expect(days.text.contains("2026-11-22  tenant_"))
        #expect(days.text.contains("Acme Incorporated of Somewhere"))
        let cut = Self.table.fitted(to: 100, identifiers: [5], ownID: 5)
        #expect(cut.text.contains("…"))
        #expect(cut.hidden.isEmpty)
        let narrow = Self.table.fitted(to: 80, identifiers: [5], ownID: 5)
        #expect(narrow.hidden == ["CREATED"])
        #expect(narrow.text.contains("active"))
    }

    @Test("the own ID stays when other IDs have no room")
    func severalIDs() {
        let user = "user_01hq3r8x2mfbw8t6v0c5k9s4ye"
        let table = Table(header: ["USER", "STATUS", "ID"], rows: [[user, "active", Self.tenant]])
        let (text, hidden) = table.fitted(to: 40, identifiers: [0, 2], ownID: 2)
        #expect(text == "ID\n\(Self.tenant)\n")
        #expect(hidden == ["USER", "STATUS"])
    }

    @Test("IDs of other things go before a status, and an ID stays only if it is the row's own")
    func foreignIDs() {
        let user = "user_01hq3r8x2mfbw8t6v0c5k9s4ye"
        let own = Table(header: ["NAME", "USER", "STATUS", "ID"], rows: [["Shop", user, "active", Self.tenant]])
        #expect(own.fitted(to: 60, identifiers: [1, 3], ownID: 3).hidden == ["USER"])
        let none = Table(header: ["TIME", "ACTION", "ACTOR"], rows: [["2026-11-22T07:41:00Z", "createTenant", user]])
        #expect(none.fitted(to: 40, identifiers: [2], ownID: nil).hidden == ["ACTOR"])
    }

    @Test("a list has the name first and the ID last, and fits the terminal it is shown on")
    func terminal() async throws {
        let tenant = Examples.tenant.replacingOccurrences(of: "tenant_1", with: Self.tenant)
        let server = try StubServer(answering: .init(body: Examples.list(tenant)))
        defer { server.stop() }
        let piped = try await Run("tenants", "list", environment: Run.environment(for: server))
        let header = lines(piped.output)[0]
        #expect(header.hasPrefix("SLUG"))
        #expect(header.hasSuffix("ID"))

        let run = try TerminalRun("tenants", "list", environment: Run.environment(for: server), columns: 60)
        try await run.sees("Hidden for lack of width: ")
        try await run.sees("\nUse a wider terminal or --json.\n")
        #expect(try await run.end().status == 0)
        let shown = lines(run.screen).filter { !$0.hasPrefix("Hidden") && !$0.hasPrefix("Use a wider") }
        #expect(shown.count == 2)
        for line in shown { #expect(line.count <= 60, "\(line)") }
    }
}
