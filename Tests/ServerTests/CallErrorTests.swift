import TestSupport
import Testing

/// An invalid call of `espalier`, in the format of espalierctl.
@Suite("Call errors")
struct CallErrorTests {
    /// Returns the text on standard error.
    private func text(_ line: String) async throws -> String {
        let exit = try await Program.run(line.split(separator: " ").map(String.init))
        #expect(exit.code == 2 && exit.output.isEmpty)
        return exit.complaints.joined(separator: "\n")
    }

    @Test("an unknown command gets the nearest one, with the words after it")
    func unknown() async throws {
        #expect(
            try await text("master-key status") == """
                error: `espalier` has no command `master-key`.
                next: Did you mean `espalier master-keys status`? `espalier --help` lists its commands.
                """)
        #expect(
            try await text("servr --migrations x") == """
                error: `espalier` has no command `servr`.
                next: Did you mean `espalier serve`? `espalier --help` lists its commands.
                """)
        #expect(
            try await text("master-keys resael") == """
                error: `espalier master-keys` has no command `resael`.
                next: Did you mean `espalier master-keys reseal`? `espalier master-keys --help` lists its commands.
                """)
        #expect(
            try await text("\u{1B}[2Jfrobnicate") == """
                error: `espalier` has no command `[2Jfrobnicate`.
                next: `espalier --help` lists its commands.
                """)
    }

    @Test("an invalid argument gets the usage of its command")
    func arguments() async throws {
        #expect(
            try await text("master-keys status --jsn") == """
                error: Unknown option '--jsn'. Did you mean '--json'?
                  usage: espalier master-keys status [--json]
                next: `espalier master-keys status --help` describes every argument.
                """)
        #expect(
            try await text("audit verify --tenant acme --platform") == """
                error: Pass either --tenant or --platform.
                  usage: espalier audit verify [--tenant <slug>] [--platform] [--expect <sequence:hash>]
                next: `espalier audit verify --help` describes every argument.
                """)
    }

    @Test("help is not an error")
    func help() async throws {
        for line in ["servr --help", "help servr"] {
            #expect(try await text(line).hasPrefix("error: `espalier` has no command `servr`.\nnext: Did you mean `espalier serve`?"))
        }
        for line in ["help", "help serve", "master-keys", "master-keys status --help"] {
            let exit = try await Program.run(line.split(separator: " ").map(String.init))
            #expect(exit.code == 0 && exit.errors.isEmpty)
        }
    }
}
