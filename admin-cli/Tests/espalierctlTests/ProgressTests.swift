import Foundation
import Testing

@testable import espalierctl

@Suite("waiting")
struct ProgressTests {
    @Test("a person sees a spinner that disappears at the end, and a program sees nothing")
    func sign() async throws {
        // The server responds only after the test has seen the spinner, so the test does not depend on the speed of the machine.
        let answer = DispatchSemaphore(value: 0)
        let server = try StubServer { _ in
            _ = answer.wait(timeout: .now() + 120)
            return .init(body: Examples.tenant)
        }
        defer { server.stop() }
        let run = try TerminalRun("tenants", "show", "acme", "--timeout", "120", environment: Run.environment(for: server))
        try await run.sees("Waiting for 127.0.0.1")
        answer.signal()
        try await run.sees("\r\u{1B}[K")
        #expect(try await run.end().status == 0)

        async let program = Run("tenants", "show", "acme", "--timeout", "120", environment: Run.environment(for: server))
        while server.received.count < 2 { try await Task.sleep(for: .milliseconds(10)) }
        try await Task.sleep(for: .seconds(1.3))
        answer.signal()
        #expect(try await program.messages.isEmpty)
    }
}
