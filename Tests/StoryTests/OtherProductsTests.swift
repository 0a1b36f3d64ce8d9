import Foundation
import TestSupport
import Testing

/// The unchanged clients of WorkOS and Mushu from PyPI go through every operation and each failure, against `espalier-dev`.
///
/// `script/check-clients` runs the same scripts. The packages are those of `script/requirements.txt`, in `.build/venv`.
@Suite("Clients of other products", .serialized)
struct OtherProductsTests {
    /// Runs a script of `script/api` with its own server, and returns the lines that it prints.
    private func run(_ script: String) async throws -> String {
        let exit = try await Program.run(
            ["script/api/\(script)"], of: Program.repository.appending(path: "script/python"), within: .seconds(300))
        #expect(exit.code == 0, "\(exit.output)\n\(exit.errors)")
        return exit.output
    }

    /// The steps of a line such as `check-clients: mushu-sdk at acme: sign-in, user`.
    private func steps(of client: String, in output: String) -> [String] {
        let line = output.split(separator: "\n").first { $0.hasPrefix("check-clients: \(client)") }
        return line?.components(separatedBy: ": ").last?.components(separatedBy: ", ") ?? []
    }

    @Test("WorkOS's library: login, sealed session, retry, users, organizations, events, webhooks, API keys, and each failure")
    func workOS() async throws {
        let steps = steps(of: "WorkOS's library", in: try await run("authkit.py"))
        #expect(
            steps == ["sign_in", "seal", "retry", "manage", "organize", "events", "expire", "device", "fail", "public"], "\(steps)")
    }

    /// It needs `espalierctl`, which `script/test` builds before.
    @Test(
        "the pages that describe the moves, followed in an empty folder",
        .enabled(if: FileManager.default.isExecutableFile(atPath: Program.espalierctl.path(percentEncoded: false))))
    func pages() async throws {
        let output = try await run("moving.py")
        for page in ["workos", "mushu"] { #expect(output.contains("docs/moving-from-\(page).md was followed"), "\(output)") }
    }

    @Test("Mushu's command-line client and SDK: login, refresh, validation, logout, providers, and each failure")
    func mushu() async throws {
        let output = try await run("mushu_clients.py")
        #expect(steps(of: "mushu-cli", in: output) == ["login", "user", "refresh", "logout", "each failure"], "\(output)")
        #expect(
            steps(of: "mushu-sdk", in: output) == [
                "sign-in", "user", "refresh", "logout", "exchange", "browser", "notification", "providers",
            ], "\(output)")
    }
}
