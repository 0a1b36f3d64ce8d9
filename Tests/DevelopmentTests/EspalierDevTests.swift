import TestSupport
import Testing

/// An invalid call of `espalier-dev`, in the format of `espalier`.
@Suite("espalier-dev")
struct EspalierDevTests {
    private func run(_ line: String) async throws -> Program.Exit {
        try await Program.run(line.split(separator: " ").map(String.init), of: Program.espalierDev)
    }

    @Test("an unknown command gets the nearest one")
    func unknown() async throws {
        let exit = try await run("simulat-apple --port 0")
        #expect(exit.code == 2 && exit.output.isEmpty)
        #expect(
            exit.errors == """
                error: `espalier-dev` has no command `simulat-apple`.
                next: Did you mean `espalier-dev simulate-apple`? `espalier-dev --help` lists its commands.

                """)
    }

    @Test("an invalid argument gets the usage of its command")
    func argument() async throws {
        let exit = try await run("simulate-apple --port 65536")
        #expect(exit.code == 2 && exit.output.isEmpty)
        #expect(
            exit.errors == """
                error: --port must be between 0 and 65535.
                  usage: espalier-dev simulate-apple [--port <port>] [--registry <file>] [--issuer <issuer>] [--strict-return-urls]
                next: `espalier-dev simulate-apple --help` describes every argument.

                """)
    }
}
