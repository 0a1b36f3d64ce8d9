import Testing

@testable import espalierctl

@Suite("prices")
struct PricingTests {
    @Test("a person sees the lines, the total and the next tier")
    func estimate() async throws {
        let server = try StubServer(answering: .init(body: Examples.estimate))
        defer { server.stop() }
        let run = try await Run("pricing", "estimate", "--logins", "250000", "--plan", "scale", environment: Run.environment(for: server))
        #expect(run.status == 0)
        #expect(
            run.output == """
                250000 logins and 30000 silent sign-ins per month, with the plan scale's rate card 2, effective from 2027-01-01

                LINE                QUANTITY  UNIT PRICE      USD
                Base fee                   1       49.00    49.00
                Logins 1 to 240200    240200       0.005  1201.00
                Total                      -           -  1250.00

                The next tier starts at login 300001 (50001 more logins): all logins cost 0.004 USD each. 300001 logins per month cost 1249.00 USD, 1.00 less.

                """)
        #expect(run.messages.isEmpty)
    }

    @Test("the configured tenant is used, except with --plan")
    func configured() async throws {
        let server = try StubServer(answering: .init(body: Examples.estimate))
        defer { server.stop() }
        let environment = Run.environment(for: server).merging(["ESPALIER_TENANT": "globex"]) { $1 }
        _ = try await Run("pricing", "estimate", "--logins", "5", environment: environment)
        _ = try await Run("pricing", "estimate", "--logins", "5", "--plan", "free", environment: environment)
        #expect(server.received.map(\.body) == [#"{"logins":5,"tenant":"globex"}"#, #"{"logins":5,"plan":"free"}"#])
    }

    @Test("the page of an estimate is printed unchanged, with the same options")
    func page() async throws {
        let server = try StubServer(answering: .init(headers: ["Content-Type": "text/html; charset=utf-8"], body: "<p>5.00</p>\n"))
        defer { server.stop() }
        let environment = Run.environment(for: server).merging(["ESPALIER_TENANT": "globex"]) { $1 }
        let run = try await Run("pricing", "print", "--logins", "1000", "--on", "2027-01-01", environment: environment)
        #expect(run.status == 0, "\(run.messages)")
        #expect(run.output == "<p>5.00</p>\n")
        #expect(try await Run("pricing", "print", "--logins", "5", "--plan", "scale", environment: environment).status == 0)
        #expect(
            server.calls == [
                "GET /v1/pricing/estimate/page?logins=1000&tenant=globex&on=2027-01-01",
                "GET /v1/pricing/estimate/page?logins=5&plan=scale",
            ])
        #expect(try await Run("pricing", "print", "--logins", "-1").status == 2)
    }

    @Test(
        "a budget needs either logins or money, greater than 0",
        arguments: [
            "", "--logins 0", "--logins 1000000001", "--logins 5 --amount 5 --currency USD", "--logins 5 --currency USD", "--amount 5",
            "--currency USD", "--amount 0 --currency USD", "--amount -5 --currency USD", "--amount 5,00 --currency USD", "--hard",
        ])
    func wrongBudget(arguments: String) async throws {
        let run = try await Run(arguments: ["budget", "set", "--tenant", "acme"] + arguments.split(separator: " ").map(String.init))
        #expect(run.status == 2, "\(arguments)")
    }

    @Test(
        "amounts are exact to one millionth",
        arguments: [
            ("0.005", 5000), ("49", 49_000_000), ("0.000001", 1), ("9999999999.999999", 9_999_999_999_999_999), ("0", 0), ("0.10", 100_000),
        ])
    func amounts(text: String, micros: Int) {
        #expect(Micros(argument: text)?.count == micros)
    }

    @Test(
        "an invalid amount, tier or day is an invalid command line",
        arguments: [
            "--tier 0.0000001", "--tier 5e3", "--tier -1", "--tier 1,5", "--tier 0:1", "--tier x:1", "--tier 1:1:1", "--tier 1:",
            "--tier 10:1", "--tier 1 --tier 2", "--tier 1 --follow-plan", "--tier 1 --base-fee 1.", "--tier 1 --included many", "",
        ])
    func wrong(arguments: String) async throws {
        let card = ["rate-cards", "create", "--tenant", "acme", "--effective-from", "2027-01-01", "--currency", "USD"]
        #expect(try await Run(arguments: card + arguments.split(separator: " ").map(String.init)).status == 2, "\(arguments)")
        #expect(try await Run("pricing", "estimate", "--logins", "-1").status == 2)
        #expect(try await Run("pricing", "estimate", "--logins", "1", "--on", "2027-02-30").status == 2)
        #expect(try await Run("pricing", "estimate", "--logins", "1", "--plan", "free", "--tenant", "acme").status == 2)
        #expect(try await Run("rate-cards", "create", "--plan", "free", "--effective-from", "2027-01-01", "--follow-plan").status == 2)
    }
}
