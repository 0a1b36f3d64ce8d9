import Foundation
import Testing

@testable import espalierctl

@Suite("espalierctl statements")
struct StatementsTests {
    private static func statement(lines: String? = nil) -> String {
        #"""
        {"id":"statement_1","object":"statement","tenant_id":"tenant_1","tenant_slug":"acme","tenant_name":"Acme","period":"2026-11",\#
        "totals":[{"currency":"USD","amount_micros":54010000,"amount":"54.01"}],"events":1003,"digest":"e3b0",\#
        "closed_at":"2026-12-02T00:04:10Z"\#(lines.map { #","lines":[\#($0)]"# } ?? "")}
        """#
    }
    private static let line = #"""
        {"kind":"logins","service_period":"2026-11","first_day":"2026-11-01","last_day":"2026-11-30","plan":"scale",\#
        "rate_card_id":"ratecard_1","rate_card_version":3,"own_rate_card":true,"description":"Logins","quantity":1001,"unit_price_micros":5000,\#
        "unit_price":"0.005","currency":"USD","exact_micros":5005000,"amount_micros":5000000,"amount":"5.00"}
        """#

    @Test("a list shows the totals as text")
    func list() async throws {
        let server = try StubServer(answering: .init(body: Examples.list(Self.statement())))
        defer { server.stop() }
        let run = try await Run("statements", "list", "--tenant", "acme", environment: Run.environment(for: server))
        #expect(run.status == 0, "\(run.messages)")
        #expect(run.output.contains("54.01 USD"))
        #expect(server.calls == ["GET /v1/tenants/acme/statements"])
    }

    @Test("the platform lists the statements of a month")
    func platform() async throws {
        let server = try StubServer(answering: .init(body: Examples.list(Self.statement())))
        defer { server.stop() }
        let environment = Run.environment(for: server)
        #expect(try await Run("statements", "list", "--platform", "--period", "2026-11", environment: environment).status == 0)
        #expect(server.calls == ["GET /v1/platform/statements?period=2026-11"])
        #expect(try await Run("statements", "list", "--platform", environment: environment).status == 2)
        #expect(try await Run("statements", "list", "--tenant", "acme", "--period", "2026-11", environment: environment).status == 2)
    }

    @Test("a statement is shown with its lines")
    func show() async throws {
        let server = try StubServer(answering: .init(body: Self.statement(lines: Self.line)))
        defer { server.stop() }
        let run = try await Run("statements", "show", "2026-11", "--tenant", "acme", environment: Run.environment(for: server))
        #expect(run.status == 0, "\(run.messages)")
        for text in ["54.01 USD", "DESCRIPTION", "own 3", "1001", "0.005"] { #expect(run.output.contains(text), "\(text)") }
        #expect(server.calls == ["GET /v1/tenants/acme/statements/2026-11"])
    }

    @Test("the page is printed unchanged, and any other response fails")
    func page() async throws {
        let server = try StubServer(
            answering: .init(headers: ["Content-Type": "text/html; charset=utf-8"], body: "<!doctype html>\n<p>54.01</p>\n"))
        defer { server.stop() }
        let run = try await Run("statements", "print", "2026-11", "--tenant", "acme", environment: Run.environment(for: server))
        #expect(run.status == 0, "\(run.messages)")
        #expect(run.output == "<!doctype html>\n<p>54.01</p>\n")
        #expect(server.calls == ["GET /v1/tenants/acme/statements/2026-11/page"])
        let other = try StubServer(answering: .init(body: "{}"))
        defer { other.stop() }
        #expect(try await Run("statements", "print", "2026-11", "--tenant", "acme", environment: Run.environment(for: other)).status == 1)
    }

    @Test("an open month shows its charges so far and the end of complete data, and can be printed")
    func upcoming() async throws {
        let body = #"""
            {"object":"upcoming_statement","tenant_id":"tenant_1","tenant_slug":"acme","tenant_name":"Acme","period":"2026-12",\#
            "state":"open","complete_until":"2026-12-14T09:28:00Z","totals":[{"currency":"USD","amount_micros":5000000,"amount":"5.00"}],\#
            "events":1001,"lines":[\#(Self.line)]}
            """#
        let server = try StubServer(answering: .init(body: body))
        defer { server.stop() }
        let environment = Run.environment(for: server)
        let run = try await Run("statements", "upcoming", "--tenant", "acme", environment: environment)
        #expect(run.status == 0, "\(run.messages)")
        for text in ["open", "2026-12-14T09:28:00Z", "Total so far", "5.00 USD", "1001", "0.005"] {
            #expect(run.output.contains(text), "\(text)")
        }
        let json = try await Run("statements", "upcoming", "--tenant", "acme", "--period", "2026-12", "--json", environment: environment)
        #expect(json.output == body + "\n")
        #expect(server.calls == ["GET /v1/tenants/acme/statements/upcoming", "GET /v1/tenants/acme/statements/upcoming?period=2026-12"])
        let page = try StubServer(answering: .init(headers: ["Content-Type": "text/html; charset=utf-8"], body: "<p>So far</p>\n"))
        defer { page.stop() }
        let printed = try await Run("statements", "print", "upcoming", "--tenant", "acme", environment: Run.environment(for: page))
        #expect(printed.output == "<p>So far</p>\n")
        #expect(page.calls == ["GET /v1/tenants/acme/statements/upcoming/page"])
    }

    @Test("the next step for a month without a statement is the command for its charges so far", arguments: ["show", "print"])
    func open(command: String) async throws {
        let server = try StubServer(answering: .problem(404, #"{"detail":"There is no such statement.","code":"not_found"}"#))
        defer { server.stop() }
        let run = try await Run("statements", command, "2020-12", "--tenant", "acme", environment: Run.environment(for: server))
        #expect(run.status == 1)
        #expect(run.messages.contains("espalierctl statements upcoming --period 2020-12 --tenant acme\n"), "\(run.messages)")
    }

    @Test("a future month has no charges to show")
    func future() throws {
        let missing = Failure(status: .failure, detail: "None.", nextStep: "Look.", problem: .init(status: 404, code: "not_found"))
        let december = try #require(StatementName(argument: "2026-12"))
        let (november, later) = (try Date("2026-11-30T23:59:59Z", strategy: .iso8601), try Date("2026-12-01T00:00:00Z", strategy: .iso8601))
        #expect(december.advice(for: missing, "", now: november) == missing)
        #expect(december.advice(for: missing, "", now: later).nextStep.hasSuffix("upcoming --period 2026-12"))
    }
}
