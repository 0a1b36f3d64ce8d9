import Foundation
import Testing

@testable import espalierctl

@Suite("key files")
struct AppleKeyFileTests {
    private func create(_ folder: TemporaryFolder, _ arguments: String..., input: String = "") async throws -> (
        run: Run, received: [StubServer.Request]
    ) {
        let server = try StubServer(answering: .init(status: 201, body: Examples.connection()))
        defer { server.stop() }
        let run = try await Run(
            arguments: ["connections", "create", "--tenant", "acme", "--team-id", "A1B2C3D4E5", "--services-id", "com.example.login"]
                + arguments,
            environment: Run.environment(for: server), input: input, folder: folder.url)
        return (run, server.received)
    }

    @Test("the Key ID comes from the file name that Apple chose", arguments: ["AuthKey_F6G7H8I9J0.p8", "AuthKey_F6G7H8I9J0 (1).p8"])
    func name(name: String) async throws {
        let folder = try TemporaryFolder()
        try folder.file(name, Examples.pem)
        let (run, received) = try await create(folder, "--key-file", name)
        #expect(run.status == 0, "\(run.messages)")
        #expect(received.first?.body.contains(#""key_id":"F6G7H8I9J0""#) == true)
    }

    @Test("a Key ID that differs from the file name is named in the error, and nothing is sent")
    func mismatch() async throws {
        let folder = try TemporaryFolder()
        try folder.file("AuthKey_F6G7H8I9J0.p8", Examples.pem)
        let (run, received) = try await create(folder, "--key-file", "AuthKey_F6G7H8I9J0.p8", "--key-id", "ZZZZZZZZZZ")
        #expect(run.status == 2)
        #expect(run.messages.contains("F6G7H8I9J0") && run.messages.contains("ZZZZZZZZZZ"))
        #expect(received.isEmpty)
    }

    @Test("a key from the standard input needs --key-id")
    func standardInput() async throws {
        let folder = try TemporaryFolder()
        let (run, received) = try await create(folder, "--key-file", "-", "--key-id", "F6G7H8I9J0", input: Examples.pem)
        #expect(run.status == 0, "\(run.messages)")
        #expect(received.count == 1)
        let (unnamed, nothing) = try await create(folder, "--key-file", "-", input: Examples.pem)
        #expect(unnamed.status == 2)
        #expect(unnamed.messages.contains("--key-id"))
        #expect(nothing.isEmpty)
    }

    @Test(
        "the error names the kind of another file, and does not print the file",
        arguments: [
            ("secretsecret", "not a PEM"), ("-----BEGIN ENCRYPTED PRIVATE KEY-----\nsecretsecret", "encrypted"),
            ("-----BEGIN PUBLIC KEY-----\nsecretsecret", "public key"), ("-----BEGIN RSA PRIVATE KEY-----\nsecretsecret", "RSA"),
            ("-----BEGIN CERTIFICATE-----\nsecretsecret", "certificate"),
        ])
    func kinds(text: String, word: String) async throws {
        let folder = try TemporaryFolder()
        try folder.file("AuthKey_F6G7H8I9J0.p8", text)
        let (run, received) = try await create(folder, "--key-file", "AuthKey_F6G7H8I9J0.p8")
        #expect(run.status == 2)
        #expect(run.messages.contains(word))
        #expect(!run.messages.contains("secretsecret"))
        #expect(received.isEmpty)
    }

    @Test("a missing file and an invalid Key ID are invalid command lines")
    func wrong() async throws {
        let folder = try TemporaryFolder()
        try folder.file("key.p8", Examples.pem)
        #expect(try await create(folder, "--key-file", "nowhere.p8").run.status == 2)
        let (run, received) = try await create(folder, "--key-file", "key.p8", "--key-id", "short")
        #expect(run.status == 2)
        #expect(received.isEmpty)
        #expect(try await create(folder, "--key-file", "-", "--key-id", "F6G7H8I9J0", "--api-key-file", "-").run.status == 2)
    }
}

@Suite("espalierctl connections")
struct ConnectionTests {
    @Test("a failed check shows its steps, and the exit code is 1", arguments: ["failed", "unreachable"])
    func failedCheck(outcome: String) async throws {
        let server = try StubServer(answering: .init(body: Examples.check(outcome, Examples.steps)))
        defer { server.stop() }
        let run = try await Run("connections", "check", "connection_1", "--tenant", "acme", environment: Run.environment(for: server))
        #expect(run.status == 1)
        #expect(
            run.output == """
                ✓ private_key  A P-256 key.
                ✗ team_id      This looks like a Services ID. Swap the two.
                - signature    Not tried.

                """)
        #expect(run.messages.contains("next: "))
        let json = try await Run(
            "connections", "check", "connection_1", "--tenant", "acme", "--json", environment: Run.environment(for: server))
        #expect(json.status == 1)
        #expect(json.output == Examples.check(outcome, Examples.steps) + "\n")
    }

    @Test("a tenant's only connection needs no ID")
    func onlyOne() async throws {
        let server = try StubServer { request in
            request.method == "GET"
                ? .init(body: Examples.list(Examples.connection())) : .init(body: Examples.check("passed", Examples.passedSteps))
        }
        defer { server.stop() }
        let run = try await Run("connections", "check", "--tenant", "acme", environment: Run.environment(for: server))
        #expect(run.status == 0, "\(run.messages)")
        #expect(server.calls == ["GET /v1/tenants/acme/connections?limit=100", "POST /v1/tenants/acme/connections/connection_1/check"])
    }

    @Test("without a connection, or with several, the error explains the problem", arguments: [0, 2])
    func others(count: Int) async throws {
        let second = Examples.connection().replacingOccurrences(of: "connection_1", with: "connection_2")
        let server = try StubServer(answering: .init(body: count == 0 ? Examples.list() : Examples.list(Examples.connection(), second)))
        defer { server.stop() }
        let run = try await Run("connections", "check", "--tenant", "acme", environment: Run.environment(for: server))
        #expect(run.status == 2)
        #expect(run.messages.contains(count == 0 ? "connections create" : "connection_1, connection_2"))
    }

    @Test("a connection that Apple does not accept is created, with a message")
    func createdButFailed() async throws {
        let folder = try TemporaryFolder()
        try folder.file("AuthKey_F6G7H8I9J0.p8", Examples.pem)
        let server = try StubServer(answering: .init(status: 201, body: Examples.connection(outcome: "failed", steps: Examples.steps)))
        defer { server.stop() }
        let run = try await Run(
            arguments: [
                "connections", "create", "--tenant", "acme", "--team-id", "A1B2C3D4E5", "--services-id", "com.example.login", "--key-file",
                folder.path("AuthKey_F6G7H8I9J0.p8"),
            ], environment: Run.environment(for: server))
        #expect(run.status == 0)
        #expect(run.output.contains("Swap the two."))
        #expect(run.messages.contains("does not accept it yet"))
    }
}

@Suite("espalierctl apple-keys rotate")
struct RotateAppleKeyTests {
    private let path = "/v1/tenants/acme/connections/connection_1"

    private func key(_ number: Int, _ keyID: String, _ state: String, _ more: String = "") -> String {
        #"{"id":"applekey_\#(number)","key_id":"\#(keyID)","state":"\#(state)","fingerprint":"00"\#(more),\#(Examples.times)}"#
    }

    /// Runs the command against a server with one connection.
    /// - Parameter known: the keys of the connection, before and after the command.
    private func rotate(known: [String], refusal: StubServer.Answer? = nil) async throws -> (run: Run, calls: [String]) {
        let folder = try TemporaryFolder()
        try folder.file("AuthKey_NEWNEWNEW0.p8", Examples.pem)
        let (path, new) = (path, key(2, "NEWNEWNEW0", "next"))
        let list = #"{"object":"list","data":[\#(known.joined(separator: ","))],"list_metadata":{}}"#
        let server = try StubServer { request in
            switch (request.method, request.path) {
            case ("GET", path): .init(headers: ["ETag": "\"v\""], body: Examples.connection())
            case ("GET", _): .init(body: list)
            case ("POST", _) where request.path.hasSuffix("promote"): refusal ?? .init(body: new)
            default: .init(status: 201, body: new)
            }
        }
        defer { server.stop() }
        let run = try await Run(
            arguments: [
                "apple-keys", "rotate", "--tenant", "acme", "--connection", "connection_1", "--overlap", "2h", "--key-file",
                folder.path("AuthKey_NEWNEWNEW0.p8"),
            ], environment: Run.environment(for: server))
        return (
            run, server.received.filter { $0.method == "POST" }.map { "\($0.call) \($0.header("If-Match") ?? "") \($0.body.prefix(24))" }
        )
    }

    @Test("the command adds and promotes a key, and prints the next steps")
    func whole() async throws {
        let old = key(1, "OLDOLDOLD0", "previous", #","usable_until":"2026-11-22T08:00:00Z""#)
        let (run, calls) = try await rotate(known: [old])
        #expect(run.status == 0, "\(run.messages)")
        #expect(
            calls == [
                "POST \(path)/apple-keys \"v\" {\"key_id\":\"NEWNEWNEW0\",\"",
                "POST \(path)/apple-keys/applekey_2/promote \"v\" {\"overlap_seconds\":7200}",
            ])
        #expect(run.output.contains("KEY ID"))
        #expect(run.messages.contains("NEWNEWNEW0 is now the current key."))
        #expect(run.messages.contains("OLDOLDOLD0 stays in reserve until 2026-11-22T08:00:00Z."))
    }

    @Test("the command continues an incomplete earlier run")
    func resumed() async throws {
        let (run, calls) = try await rotate(known: [key(2, "NEWNEWNEW0", "next")])
        #expect(run.status == 0, "\(run.messages)")
        #expect(calls == ["POST \(path)/apple-keys/applekey_2/promote \"v\" {\"overlap_seconds\":7200}"])
    }

    @Test("a key that was already used is rejected before a change", arguments: ["current", "previous", "retired"])
    func used(state: String) async throws {
        let (run, calls) = try await rotate(known: [key(2, "NEWNEWNEW0", state)])
        #expect(run.status == 1)
        #expect(calls.isEmpty)
    }

    @Test("the command prints Apple's rejection")
    func refused() async throws {
        let (run, _) = try await rotate(
            known: [], refusal: .problem(422, #"{"detail":"Apple doesn't accept it.","code":"apple_refused"}"#))
        #expect(run.status == 1)
        #expect(run.messages.contains("Apple doesn't accept it."))
    }

    @Test("a dry run shows both calls and sends none")
    func dryRun() async throws {
        let folder = try TemporaryFolder()
        try folder.file("AuthKey_NEWNEWNEW0.p8", Examples.pem)
        let run = try await Run(
            "apple-keys", "rotate", "--platform", "--dry-run", "--key-file", folder.path("AuthKey_NEWNEWNEW0.p8"))
        #expect(run.status == 0)
        #expect(
            run.output == """
                POST /v1/platform/connection/apple-keys
                If-Match: (the ETag of /v1/platform/connection)
                {
                  "key_id" : "NEWNEWNEW0",
                  "private_key" : "(not shown)"
                }

                POST /v1/platform/connection/apple-keys/ID/promote
                If-Match: (the ETag of /v1/platform/connection)
                {
                  "overlap_seconds" : 86400
                }

                """)
    }
}
