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
        ], identifiers: [5], ownID: 5)

    private func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }

    @Test("a pipe receives everything")
    func pipe() {
        let fitted = Self.table.fitted(to: nil)
        #expect(fitted.text == Self.table.text)
        #expect(fitted.hidden.isEmpty && fitted.shortened.isEmpty)
    }

    @Test("a terminal receives lines that fit, with complete IDs", arguments: 34...160)
    func fits(width: Int) {
        let fitted = Self.table.fitted(to: width)
        for line in lines(fitted.text) { #expect(line.count <= width) }
        #expect(fitted.text.contains(Self.tenant))
        let shown = lines(fitted.text)[0]
        #expect(Self.table.header.filter { !fitted.hidden.contains($0) }.allSatisfy(shown.contains))
        #expect(!fitted.text.contains(#/[0-9]-?…/#), "a date is cut: \(fitted.text)")
    }

    @Test("times become days, then expendable columns are hidden, then texts are cut, then other columns are hidden")
    func order() {
        let days = Self.table.fitted(to: 110)
        #expect(days.text.contains("2026-11-22  tenant_"))
        #expect(days.text.contains("Acme Incorporated of Somewhere"))
        #expect(days.shortened == ["CREATED"])
        let cut = Self.table.fitted(to: 100)
        #expect(cut.text.contains("…"))
        #expect(cut.hidden.isEmpty && cut.shortened == ["NAME", "CREATED"])
        let narrow = Self.table.fitted(to: 80)
        #expect(narrow.hidden == ["CREATED"] && narrow.shortened == ["NAME"])
        #expect(narrow.text.contains("enterprise  active"))
        var table = Self.table
        table.expendable = [3]
        let expendable = table.fitted(to: 100)
        #expect(expendable.hidden == ["STATUS"] && expendable.shortened == ["CREATED"])
    }

    @Test("an exact time shows hours and minutes, and expendable columns are hidden first")
    func exact() {
        var table = Self.table
        (table.exact, table.expendable) = ([4], [5, 3])
        let fitted = table.fitted(to: 60)
        #expect(fitted.hidden == ["STATUS", "ID"])
        #expect(fitted.text.contains("2026-11-22 07:41\n"))
    }

    @Test("IDs of other resources are shortened and then hidden, and the own ID stays complete")
    func severalIDs() {
        let user = "user_01hq3r8x2mfbw8t6v0c5k9s4ye"
        let table = Table(
            header: ["USER", "STATUS", "ID"], rows: [[user, "active", Self.tenant]], identifiers: [0, 2], ownID: 2)
        let short = table.fitted(to: 60)
        #expect(short.text == "USER        STATUS  ID\nuser_…s4ye  active  \(Self.tenant)\n")
        #expect(short.shortened == ["USER"] && short.hidden.isEmpty)
        let narrow = table.fitted(to: 40)
        #expect(narrow.text == "ID\n\(Self.tenant)\n")
        #expect(narrow.hidden == ["USER", "STATUS"] && narrow.shortened.isEmpty)
    }

    @Test("a wrapped text continues on the next line and stays complete")
    func wrapped() {
        let table = Table(
            header: ["DESCRIPTION", "AMOUNT"], rows: [["Logins, 2026-12-01 to 2026-12-14", "5.00"], ["Base fee", "49.00"]],
            rightAligned: [1],
            wrapped: [0])
        let fitted = table.fitted(to: 28)
        #expect(
            fitted.text == """
                DESCRIPTION         AMOUNT
                Logins, 2026-12-01    5.00
                to 2026-12-14
                Base fee             49.00

                """)
        #expect(fitted.hidden.isEmpty && fitted.shortened.isEmpty)
    }

    @Test("a list shows the name first and the ID last, and fits the terminal")
    func terminal() async throws {
        let tenant = Examples.tenant.replacingOccurrences(of: "tenant_1", with: Self.tenant)
        let server = try StubServer(answering: .init(body: Examples.list(tenant)))
        defer { server.stop() }
        let piped = try await Run("tenants", "list", environment: Run.environment(for: server))
        let header = lines(piped.output)[0]
        #expect(header.hasPrefix("SLUG"))
        #expect(header.hasSuffix("ID"))

        let run = try TerminalRun("tenants", "list", environment: Run.environment(for: server), columns: 60)
        try await run.sees("acme")
        try await run.sees("\n(hidden for lack of width: CREATED, ID. Use a wider terminal or --json.)\n")
        #expect(try await run.end().status == 0)
        let shown = lines(run.screen).filter { !$0.contains("for lack of width") }
        #expect(shown.count == 2)
        for line in shown { #expect(line.count <= 60, "\(line)") }
    }
}
