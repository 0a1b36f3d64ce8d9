import Foundation
import TestSupport
import Testing

/// `espalier-dev simulate-apple` as a process. `AppleSimulatorTests` tests the simulation, and `DevTests` tests a login with
/// it.
@Suite("Simulate Apple")
struct SimulateAppleTests {
    @Test("a port in use is reported")
    func takenPort() async throws {
        let listener = try SilentListener()
        let exit = try await Program.run(["simulate-apple", "--port", "\(listener.port)"], of: Program.espalierDev)
        #expect(exit.code == 1)
        #expect(exit.complaints == ["espalier-dev: Port \(listener.port) is in use. Choose another port with --port."])
    }

    @Test("an invalid port is rejected", arguments: ["-1", "65536", "eighty"])
    func impossiblePort(port: String) async throws {
        let exit = try await Program.run(["simulate-apple", "--port=\(port)"], of: Program.espalierDev)
        #expect(exit.code == 2)
        #expect(exit.errors.contains("--port"))
    }

    @Test("with --strict-return-urls, a Return URL on loopback is rejected")
    func strictReturnURLs() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(
            "registry.json",
            """
            {"teams": [{"id": "A1B2C3D4E5", "services_ids": [{
                "id": "com.example.web", "display_name": "Example", "return_urls": ["http://localhost:8080/callback"]
            }]}]}
            """)
        let exit = try await Program.run(
            ["simulate-apple", "--port", "0", "--registry", file, "--strict-return-urls"], of: Program.espalierDev)
        #expect(exit.code == 1)
        #expect(exit.errors.contains("return_urls"), "\(exit.errors)")
    }

    @Test("a registry that is missing, is not JSON or has an unknown field is rejected with the position")
    func registry() async throws {
        let folder = try TemporaryFolder()
        for (file, words) in [
            ("/nonexistent.json", "/nonexistent.json cannot be read"),
            (try folder.write("text.json", "teams"), "is not JSON"),
            (try folder.write("field.json", #"{"teams": [], "people": [], "clients": []}"#), "clients"),
        ] {
            let exit = try await Program.run(["simulate-apple", "--port", "0", "--registry", file], of: Program.espalierDev)
            #expect(exit.code == 1)
            #expect(exit.complaints.count == 1, "\(exit.errors)")
            #expect(exit.errors.contains(words), "\(exit.errors)")
        }
    }
}
