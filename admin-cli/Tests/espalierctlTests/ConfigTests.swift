import Foundation
import Testing

@testable import espalierctl

@Suite("espalierctl config")
struct ConfigTests {
    private func run(_ arguments: String..., in folder: TemporaryFolder, input: String = "") async throws -> Run {
        try await Run(arguments: ["config"] + arguments, environment: ["HOME": folder.path("")], input: input, folder: folder.url)
    }

    private let file = ".config/espalierctl/config.json"

    @Test("only the owner can read the saved profile, and no output contains the key")
    func setAndGet() async throws {
        let folder = try TemporaryFolder()
        #expect(try await run("set", "base-url", "https://id.example.com", in: folder).status == 0)
        #expect(try await run("set", "tenant", "acme", in: folder).status == 0)
        let key = try await run("set", "api-key", "--api-key-file", "-", in: folder, input: Run.exampleKey + "\n")
        #expect(key.status == 0, "\(key.messages)")
        #expect(!(key.output + key.messages).contains(Run.exampleKey))
        #expect(try folder.mode(file) == 0o600)
        #expect(try folder.mode(".config/espalierctl") == 0o700)
        #expect(try folder.text(file).contains(Run.exampleKey))

        #expect(try await run("get", "base-url", in: folder).output == "https://id.example.com\n")
        #expect(try await run("get", "api-key", in: folder).output == "esk_test_…0000\n")
        #expect(try await run("get", "api-key-file", in: folder).status == 1)
        #expect(try await run("path", in: folder).output == folder.path(file) + "\n")
        let list = try await run("list", in: folder)
        #expect(
            list.output == """
                USE  PROFILE  BASE URL                TENANT  API KEY
                *    default  https://id.example.com  acme    esk_test_…0000

                """)
        let json = try JSONDecoder().decode(JSON.self, from: Data(try await run("list", "--json", in: folder).output.utf8))
        #expect(json["data"]?.elements?.first?["current"] == .bool(true))
        #expect(json["data"]?.elements?.first?["api_key"] == "esk_test_…0000")
    }

    @Test(
        "a missing profile cannot be unset",
        arguments: [["unset", "--profile", "nope"], ["unset", "tenant", "--profile", "nope"]])
    func unsetNothing(arguments: [String]) async throws {
        let folder = try TemporaryFolder()
        let run = try await Run(arguments: ["config"] + arguments, environment: ["HOME": folder.path("")], folder: folder.url)
        #expect(run.status == 2)
        #expect(run.messages.contains("The profile nope does not exist."))
        #expect(!folder.exists(file))
    }

    @Test("a key is never an argument")
    func keyArgument() async throws {
        let folder = try TemporaryFolder()
        let run = try await run("set", "api-key", Run.exampleKey, in: folder)
        #expect(run.status == 2)
        #expect(!run.messages.contains(Run.exampleKey))
        #expect(!folder.exists(file))
    }

    @Test("the prompt for a key does not show the typed text")
    func hiddenKey() async throws {
        let folder = try TemporaryFolder()
        let run = try TerminalRun("config", "set", "api-key", environment: ["HOME": folder.path("")], folder: folder.url)
        try await run.answers("API key: ", Run.exampleKey)
        #expect(try await run.end().status == 0)
        #expect(!run.screen.contains(Run.exampleKey))
        #expect(try folder.text(file).contains(Run.exampleKey))
    }

    @Test("profiles are created, selected and removed")
    func profiles() async throws {
        let folder = try TemporaryFolder()
        _ = try await run("set", "base-url", "https://id.example.com", in: folder)
        _ = try await run("set", "base-url", "https://staging.example.com", "--profile", "staging", in: folder)
        #expect(try await run("use", "nowhere", in: folder).status == 2)
        #expect(try await run("use", "staging", in: folder).status == 0)
        #expect(try await run("get", "base-url", in: folder).output == "https://staging.example.com\n")
        #expect(try await run("unset", "--profile", "staging", in: folder).status == 0)
        #expect(try await run("get", "base-url", in: folder).output == "https://id.example.com\n")
        #expect(try await run("unset", in: folder).status == 2)
    }

    @Test("a profile's key is removed when its address changes")
    func movedProfile() async throws {
        let folder = try TemporaryFolder()
        _ = try await run("set", "base-url", "https://id.example.com", in: folder)
        _ = try await run("set", "api-key", "--api-key-file", "-", in: folder, input: Run.exampleKey)
        let run = try await run("set", "base-url", "https://elsewhere.example.com", in: folder)
        #expect(run.messages.contains("Set the new key"))
        #expect(!(try folder.text(file).contains(Run.exampleKey)))
    }

    @Test(
        "invalid values are not saved",
        arguments: [["base-url", "http://id.example.com"], ["tenant", "a/b"], ["tenant", ""], ["color", "red"]])
    func wrongValues(arguments: [String]) async throws {
        let folder = try TemporaryFolder()
        let run = try await run("set", arguments[0], arguments[1], in: folder)
        #expect(run.status == 2)
        #expect(!folder.exists(file))
    }

    @Test("completion scripts go to the standard output", arguments: ["bash", "zsh", "fish"])
    func completion(shell: String) async throws {
        let run = try await Run("completion", shell)
        #expect(run.status == 0)
        #expect(run.output.contains("espalierctl"))
        #expect(run.messages.isEmpty)
    }
}
