import Foundation
import TestSupport
import Testing

/// `espalier simulate-apple` as a process. What it simulates has tests of its own; how it serves a login is in `DevTests`.
@Suite("Simulate Apple")
struct SimulateAppleTests {
    @Test("a port that is taken is reported")
    func takenPort() async throws {
        let listener = try SilentListener()
        let exit = try await Program.run(["simulate-apple", "--port", "\(listener.port)"])
        #expect(exit.code == 1)
        #expect(exit.complaints == ["espalier: Port \(listener.port) is in use. Choose another with --port."])
    }

    @Test("a port that cannot be is refused", arguments: ["-1", "65536", "eighty"])
    func impossiblePort(port: String) async throws {
        let exit = try await Program.run(["simulate-apple", "--port=\(port)"])
        #expect(exit.code == 2)
        #expect(exit.errors.contains("--port"))
    }

    @Test("a registry that is not there, is no JSON or names what is no field is refused, and says where")
    func registry() async throws {
        let folder = try TemporaryFolder()
        for (file, words) in [
            ("/nonexistent.json", "/nonexistent.json cannot be read"),
            (try folder.write("text.json", "teams"), "is not JSON"),
            (try folder.write("field.json", #"{"teams": [], "people": [], "clients": []}"#), "clients"),
        ] {
            let exit = try await Program.run(["simulate-apple", "--port", "0", "--registry", file])
            #expect(exit.code == 1)
            #expect(exit.complaints.count == 1, "\(exit.errors)")
            #expect(exit.errors.contains(words), "\(exit.errors)")
        }
    }
}
