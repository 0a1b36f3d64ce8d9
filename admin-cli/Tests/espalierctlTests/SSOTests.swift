import Foundation
import Testing

@testable import espalierctl

@Suite("sso")
struct SSOTests {
    @Test("the secret of the client comes from a file, without the line break at its end, and is never printed")
    func secret() async throws {
        let folder = try TemporaryFolder()
        try folder.file("provider.secret", "hush hush\n")
        let server = try StubServer { _ in .init(body: Examples.sso) }
        defer { server.stop() }
        let arguments = [
            "sso", "set", "--tenant", "acme", "--issuer", "https://login.customer.com", "--client-id", "espalier", "--secret-from",
            folder.path("provider.secret"),
        ]
        let run = try await Run(arguments: arguments, environment: Run.environment(for: server), folder: folder.url)
        #expect(run.status == 0 && run.messages.contains("espalierctl sso check"), "\(run.messages)")
        #expect(
            server.received.last?.body
                == #"{"client_id":"espalier","client_secret":"hush hush","issuer":"https://login.customer.com"}"#)
        let dry = try await Run(arguments: arguments + ["--dry-run"], environment: Run.environment(for: server), folder: folder.url)
        #expect(dry.output.contains("(not shown)") && !(dry.output + dry.messages).contains("hush"), "\(dry.output)")
    }

    @Test("a provider that is not ready, and a missing record, are failures", arguments: ["missing", "unknown"])
    func failures(outcome: String) async throws {
        let server = try StubServer { request in
            request.path.hasSuffix("/check")
                ? .init(
                    body: #"{"is_ready":false,"failures":[{"step":"discovery","field":"issuer","detail":"It is missing."}]}"#)
                : .init(body: #"{"outcome":"\#(outcome)","domain":\#(Examples.ssoDomain)}"#)
        }
        defer { server.stop() }
        let check = try await Run("sso", "check", "--tenant", "acme", environment: Run.environment(for: server))
        #expect(check.status == 1 && check.output.contains("discovery") && check.messages.contains("cannot sign members in"))
        let verify = try await Run("sso", "domains", "verify", "ssodomain_1", "--tenant", "acme", environment: Run.environment(for: server))
        #expect(verify.status == 1 && verify.output.contains(outcome), "\(verify.output)")
    }
}
