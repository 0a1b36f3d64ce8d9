import Foundation
import TestSupport
import Testing

/// `espalier`, the program for production, contains no code for development.
@Suite("Production program")
struct ProductionProgramTests {
    /// The targets that only development uses.
    private static let developmentTargets = ["AppleSimulator", "DemoApplication", "EmbeddedPostgres", "Development"]

    /// Whether a program contains a symbol of this target. A mangled symbol has the target's name after its length.
    private func contains(_ target: String, in program: URL) async throws -> Bool {
        let search = try await Program.run(
            ["-q", "-a", "-F", "\(target.utf8.count)\(target)", program.path(percentEncoded: false)], of: URL(filePath: "/usr/bin/grep"))
        // 0: found. 1: not found. Any other code: the program is not readable.
        try #require([0, 1].contains(search.code), "\(search.errors)")
        return search.code == 0
    }

    @Test("the program contains no target for development; espalier-dev contains each", arguments: developmentTargets)
    func target(name: String) async throws {
        #expect(try await !contains(name, in: Program.espalier))
        // This shows that the search finds a target.
        #expect(try await contains(name, in: Program.espalierDev))
        #expect(try await contains("Server", in: Program.espalier))
    }

    @Test("each command is in one program", arguments: ["dev", "simulate-apple"])
    func command(name: String) async throws {
        let help = try await Program.run(["--help"])
        #expect(help.code == 0)
        #expect(help.output.contains("\n  serve ") && !help.output.contains("\n  \(name) "))
        #expect(try await Program.run([name]).errors.contains("`espalier` has no command `\(name)`."))
        #expect(try await Program.run(["--help"], of: Program.espalierDev).output.contains("\n  \(name) "))
    }
}
