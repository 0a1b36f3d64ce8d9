import Foundation
import Testing

@testable import espalierctl

@Suite("JWK set files")
struct KeySetFileTests {
    private static let set = #"{"keys":[{"crv":"P-256","kid":"1","kty":"EC","x":"AQAB","y":"AQAB"}]}"#

    private func run(
        _ arguments: [String], input: String = "", files: [String: String] = [:]
    ) async throws -> (run: Run, received: [StubServer.Request]) {
        let folder = try TemporaryFolder()
        for (name, content) in files { try folder.file(name, content) }
        let server = try StubServer(
            answering: .init(headers: ["Content-Type": "application/json", "ETag": "\"v1\""], body: Examples.application))
        defer { server.stop() }
        let run = try await Run(arguments: arguments, environment: Run.environment(for: server), input: input, folder: folder.url)
        return (run, server.received)
    }

    private static let register = [
        "applications", "register", "--tenant", "acme", "--name", "Robot", "--kind", "machine", "--auth-method", "private_key_jwt",
        "--jwks-file",
    ]

    @Test("the set of a file, and of the standard input, is sent")
    func sent() async throws {
        for (name, input) in [("keys.json", ""), ("-", Self.set)] {
            let (run, received) = try await run(Self.register + [name], input: input, files: ["keys.json": Self.set])
            #expect(run.status == 0, "\(run.messages)")
            #expect(received.first?.body.contains(#""jwks":\#(Self.set)"#) == true, "\(received.map(\.body))")
        }
    }

    @Test("a change to a file removes the address of the published keys")
    func replaced() async throws {
        let arguments = ["applications", "update", "app_1", "--tenant", "acme", "--jwks-file", "keys.json"]
        let (run, received) = try await run(arguments, files: ["keys.json": Self.set])
        #expect(run.status == 0, "\(run.messages)")
        let change = received.first { $0.method == "PATCH" }
        #expect(change?.body == #"{"jwks":\#(Self.set),"jwks_uri":null}"#, "\(received.map(\.body))")
    }

    @Test(
        "a file that is missing or has no JSON object is named, and nothing is sent", arguments: ["other.json", "list.json", "text.json"])
    func refused(name: String) async throws {
        let (run, received) = try await run(Self.register + [name], files: ["list.json": "[]", "text.json": "-----BEGIN"])
        #expect(run.status != 0 && run.messages.contains(name), "\(run.messages)")
        #expect(received.isEmpty)
    }

    @Test("a file and an address together are refused")
    func both() async throws {
        let (run, received) = try await run(
            Self.register + ["keys.json", "--jwks-uri", "https://a.example/jwks"], files: ["keys.json": Self.set])
        #expect(run.status == 2 && run.messages.contains("--jwks-uri"), "\(run.messages)")
        #expect(received.isEmpty)
    }
}
