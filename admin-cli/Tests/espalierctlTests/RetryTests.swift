import Synchronization
import Testing

@testable import espalierctl

@Suite("retries")
struct RetryTests {
    /// A server with these answers in order. The last answer repeats.
    private func server(_ answers: StubServer.Answer...) throws -> StubServer {
        let left = Mutex(answers)
        return try StubServer { _ in left.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] } }
    }

    private func busy(_ status: Int, after: String) -> StubServer.Answer {
        .init(status: status, headers: ["Content-Type": "application/problem+json", "Retry-After": after], body: #"{"detail":"Busy."}"#)
    }

    @Test("a request to a busy server is retried with the same Idempotency-Key", arguments: [429, 503])
    func again(status: Int) async throws {
        let server = try server(busy(status, after: "0"), busy(status, after: "0"), .init(body: Examples.tenant))
        defer { server.stop() }
        let run = try await Run("tenants", "suspend", "acme", environment: Run.environment(for: server))
        #expect(run.status == 0)
        #expect(run.messages.hasPrefix("The server asks to wait 0 s. Retry 1 of 3 follows.\n"))
        #expect(server.received.count == 3)
        #expect(Set(server.received.map { $0.header("Idempotency-Key") }).count == 1)
    }

    @Test("the number of retries is limited")
    func enough() async throws {
        let server = try server(busy(503, after: "0"))
        defer { server.stop() }
        let run = try await Run("tenants", "suspend", "acme", environment: Run.environment(for: server))
        #expect(run.status == 1)
        #expect(server.received.count == 4)
    }

    @Test("a long or invalid wait is not followed by a retry", arguments: ["3600", "soon"])
    func long(wait: String) async throws {
        let server = try server(busy(429, after: wait))
        defer { server.stop() }
        #expect(try await Run("tenants", "suspend", "acme", environment: Run.environment(for: server)).status == 1)
        #expect(server.received.count == 1)
    }

    @Test("each call has its own Idempotency-Key")
    func keys() async throws {
        let server = try server(.init(body: Examples.tenant))
        defer { server.stop() }
        for _ in 0..<2 { _ = try await Run("tenants", "suspend", "acme", environment: Run.environment(for: server)) }
        #expect(Set(server.received.map { $0.header("Idempotency-Key") }).count == 2)
    }
}
