import Testing

@testable import espalierctl

/// The columns of each list at common widths of terminals. IDs and values have realistic lengths.
@Suite("lists at 60 and 80 columns")
struct ListWidthTests {
    struct Example: CustomTestStringConvertible, Sendable {
        var command: String
        var element: String
        var at80: [String]
        var at60: [String]
        /// Texts of the rows at 80 columns.
        var shows: [String] = []
        var testDescription: String { command }
    }

    private static let digits = "01hq3r8x2mfbw8t6v0c5k9s4ye"
    private static func id(_ kind: String) -> String { "\(kind)_\(digits)" }
    private static let created = #""created_at":"2026-11-21T08:00:00Z","updated_at":"2026-11-21T09:00:00Z""#

    static let examples: [Example] = [
        Example(
            command: "tenants list",
            element: #"""
                {"id":"\#(id("tenant"))","slug":"umbrella","name":"Umbrella Corporation","plan":"enterprise","status":"suspended",\#
                "issuer":"https://id.example.com/t/umbrella",\#(created)}
                """#,
            at80: ["SLUG", "NAME", "PLAN", "STATUS", "ID"], at60: ["SLUG", "NAME", "PLAN", "STATUS"], shows: ["enterprise", "suspended"]),
        Example(
            command: "applications list --tenant acme",
            element: #"""
                {"id":"\#(id("app"))","name":"Shop","kind":"machine","redirect_uris":["https://shop.example.com/callback"],\#
                "logout_uris":[],"frontchannel_logout_session_required":true,"bundle_ids":[],"requires_pkce":true,"requires_offline_access":false,"allows_development_uris":false,"returns_tokens_in_url":false,"requires_pushed_requests":false,"requires_dpop":false,"allows_device_grant":false,"is_third_party":false,"requires_name":false,"token_endpoint_auth_method":"client_secret_basic","access_token_seconds":3600,"session_seconds":2592000,\#
                "idle_seconds":604800,"signing_algorithm":"ES256",\#(created)}
                """#,
            at80: ["NAME", "KIND", "REDIRECT URIS", "CREATED", "ID"], at60: ["NAME", "KIND", "REDIRECT URIS", "ID"],
            shows: ["https://"]),
        Example(
            command: "users list --tenant acme",
            element: #"""
                {"id":"\#(id("user"))","given_name":"Ada","family_name":"Lovelace","email":"ada.lovelace@example.com","status":"active",\#
                "email_verified":true,"is_private_email":false,"email_disabled":false,\#(created)}
                """#,
            at80: ["GIVEN NAME", "FAMILY NAME", "EMAIL", "STATUS", "ID"], at60: ["GIVEN NAME", "FAMILY NAME", "EMAIL", "STATUS"]),
        Example(
            command: "api-keys list --tenant acme",
            element: #"""
                {"id":"\#(id("apikey"))","name":"Nightly billing export","last_four":"0000","scopes":["usage:read","statements:read"],\#
                "expires_at":"2026-12-21T08:00:00Z","revoked_at":"2026-11-21T08:00:00Z","last_used_at":"2026-11-20T08:00:00Z",\#(created)}
                """#,
            at80: ["NAME", "REVOKED", "EXPIRES", "ID"], at60: ["NAME", "REVOKED", "EXPIRES"]),
        Example(
            command: "initial-access-tokens list --tenant acme",
            element: #"""
                {"id":"\#(id("iat"))","name":"Partner portal","last_four":"0000","kinds":["web","spa","native"],"requires_pkce":true,\#
                "max_registrations":10,"registrations":3,"expires_at":"2026-12-21T08:00:00Z","revoked_at":"2026-11-21T08:00:00Z",\#(created)}
                """#,
            at80: ["NAME", "USED", "REVOKED", "EXPIRES", "ID"], at60: ["NAME", "REVOKED", "EXPIRES"]),
        Example(
            command: "sessions list --tenant acme",
            element: #"""
                {"id":"\#(id("session"))","user_id":"\#(id("user"))","application_id":"\#(id("app"))","status":"expired",\#
                "address":"203.0.113.255","expires_at":"2026-12-21T08:00:00Z","last_used_at":"2026-11-21T09:00:00Z",\#(created)}
                """#,
            at80: ["USER", "APPLICATION", "STATUS", "LAST USED", "ID"], at60: ["USER", "APPLICATION", "ID"],
            shows: ["user_…s4ye", "app_…s4ye"]),
        Example(
            command: "signing-keys list --tenant acme",
            element: #"""
                {"id":"\#(id("key"))","algorithm":"ES256","state":"retired","activated_at":"2026-11-21T08:00:00Z",\#
                "published_until":"2027-02-19T08:00:00Z",\#(created)}
                """#,
            at80: ["ALGORITHM", "STATE", "SIGNS SINCE", "PUBLISHED UNTIL", "KEY ID"], at60: ["ALGORITHM", "STATE", "KEY ID"]),
        Example(
            command: "audit list --tenant acme",
            element: #"""
                {"id":"\#(id("audit"))","occurred_at":"2026-11-21T08:00:00Z","actor":"\#(id("apikey"))","action":"revokeApplicationSecret",\#
                "subject":"\#(id("secret"))","address":"203.0.113.255",\#(created)}
                """#,
            at80: ["OCCURRED", "ACTOR", "ACTION", "SUBJECT"], at60: ["OCCURRED", "ACTOR", "ACTION"],
            shows: ["2026-11-21 08:00  apikey_…s4ye  revokeApplicationSecret  secret_…s4ye"]),
        Example(
            command: "rate-cards list --platform",
            element: #"""
                {"id":"\#(id("ratecard"))","plan":"enterprise","version":2,"effective_from":"2027-01-01","currency":"USD",\#
                "base_fee_micros":49000000,"included_logins":1000,"minimum_micros":99500000,"tier_mode":"graduated",\#
                "tiers":[{"up_to":100000,"unit_price_micros":5000},{"unit_price_micros":4000}],\#(created)}
                """#,
            at80: ["OWNER", "FROM", "CURRENCY", "BASE FEE", "INCLUDED", "MINIMUM", "PRICES"],
            at60: ["OWNER", "FROM", "BASE FEE", "INCLUDED", "PRICES"], shows: ["99.5  0.005 up to", "(graduated)"]),
        Example(
            command: "webhooks deliveries list webhook_1 --tenant acme",
            element: #"""
                {"id":"\#(id("delivery"))","event":{"id":"event_1","type":"session.revoked","occurred_at":"2026-11-21T08:00:00Z"},\#
                "state":"pending","attempts":3,"next_at":"2026-11-21T09:30:00Z","last_status":503,"last_error":"status",\#(created)}
                """#,
            at80: ["EVENT", "STATE", "ATTEMPTS", "ID"], at60: ["EVENT", "STATE", "ID"]),
        Example(
            command: "statements list --tenant acme",
            element: #"""
                {"id":"\#(id("statement"))","tenant_slug":"umbrella","tenant_name":"Umbrella","period":"2026-11","events":1001,\#
                "totals":[{"currency":"USD","amount":"54.01"}],"digest":"00","closed_at":"2026-12-02T08:00:00Z"}
                """#,
            at80: ["TENANT", "PERIOD", "TOTAL", "EVENTS", "ID"], at60: ["TENANT", "PERIOD", "TOTAL", "EVENTS"]),
        Example(
            command: "members list --tenant acme",
            element: #"""
                {"id":"\#(id("member"))","person_id":"\#(id("person"))","name":"Ada Lovelace","email":"ada.lovelace@example.com",\#
                "role":"developer","api_keys":0,\#(created)}
                """#,
            at80: ["NAME", "EMAIL", "ROLE", "ID"], at60: ["NAME", "EMAIL", "ROLE"]),
        Example(
            command: "invitations list --tenant acme",
            element: #"""
                {"id":"\#(id("invitation"))","email":"ada.lovelace@example.com","role":"developer","state":"pending",\#
                "invited_by":"\#(id("person"))","expires_at":"2026-12-21T08:00:00Z",\#(created)}
                """#,
            at80: ["EMAIL", "ROLE", "STATE", "ID"], at60: ["EMAIL", "ROLE", "STATE"]),
        Example(
            command: "support list --tenant acme",
            element: #"""
                {"id":"\#(id("support"))","person_id":"\#(id("person"))","operator_name":"Katherine Johnson",\#
                "reason":"Ticket 4711: sign-ins fail since Monday.","state":"active","started_at":"2026-11-21T08:00:00Z",\#
                "ends_at":"2026-11-21T09:00:00Z",\#(created)}
                """#,
            at80: ["OPERATOR", "REASON", "ENDS", "ID"], at60: ["OPERATOR", "REASON", "ENDS"]),
        Example(
            command: "people list",
            element: #"""
                {"id":"\#(id("person"))","name":"Ada Lovelace","email":"ada.lovelace@example.com","has_password":true,\#
                "has_authenticator":true,"recovery_codes":10,"passkeys":1,"sessions":2,"memberships":[],\#(created)}
                """#,
            at80: ["NAME", "EMAIL", "ID"], at60: ["NAME", "EMAIL"]),
    ]

    @Test("the important columns are shown, no date is cut, and hidden columns are named", arguments: examples)
    func widths(example: Example) async throws {
        let server = try StubServer(answering: .init(body: Examples.list(example.element, example.element)))
        defer { server.stop() }
        let arguments = example.command.split(separator: " ").map(String.init)
        let piped = try await Run(arguments: arguments, environment: Run.environment(for: server))
        #expect(piped.status == 0, "\(piped.messages)")
        #expect(piped.messages.isEmpty)
        let all = try #require(piped.output.split(separator: "\n").first)
        for (width, titles) in [(60, example.at60), (80, example.at80)] {
            let run = try TerminalRun(arguments: arguments, environment: Run.environment(for: server), columns: UInt16(width))
            #expect(try await run.end().status == 0)
            let lines = run.lines
            let header = try #require(lines.first { $0.hasPrefix(titles[0]) })
            #expect(header.split(separator: #/ {2,}/#).map(String.init) == titles)
            for line in lines where !line.contains(" for lack of width: ") { #expect(line.count <= width, "\(line)") }
            #expect(!run.screen.contains(#/[0-9]-?…/#), "a date is cut")
            let hidden = lines.first { $0.hasPrefix("(hidden for lack of width: ") } ?? ""
            for title in all.split(separator: #/ {2,}/#) where !titles.contains(String(title)) {
                #expect(hidden.contains(title), "\(hidden)")
            }
            if width == 80 { for text in example.shows { #expect(run.screen.contains(text), "\(run.screen)") } }
        }
    }

    @Test(
        "every list fits, with complete dates",
        // A report prints sentences below its list.
        arguments: RequestTests.all.filter {
            $0.answer.contains(#""object":"list""#) && !$0.command.hasPrefix("connections transfer report")
        })
    func everyList(example: RequestTests.Example) async throws {
        let answer = example.answer.replacing(#/"([a-z]+)_[0-9]+"/#) { "\"\(Self.id(String($0.1)))\"" }
        let server = try StubServer(answering: .init(body: answer))
        defer { server.stop() }
        for width in [60, 80] {
            let run = try TerminalRun(
                arguments: example.arguments(keyFile: ""), environment: Run.environment(for: server), columns: UInt16(width))
            #expect(try await run.end().status == 0, "\(run.screen)")
            for line in run.lines where !line.contains(" for lack of width: ") {
                #expect(line.count <= width, "\(line)")
            }
            #expect(!run.screen.contains(#/[0-9]-?…/#), "a date is cut: \(run.screen)")
        }
    }

    @Test("each ID of a list of IDs is shortened, and the important columns are shown")
    func listOfIDs() async throws {
        let element = Examples.usageSinkDifference.replacing(#/"([a-z]+)_[0-9]+"/#) { "\"\(Self.id(String($0.1)))\"" }
            .replacing(Self.id("cus"), with: "cus_NffrFeUfNV2Hib")
        let server = try StubServer(answering: .init(body: Examples.list(element)))
        defer { server.stop() }
        let arguments = ["usage", "sink", "differences"]
        let wide = try TerminalRun(arguments: arguments, environment: Run.environment(for: server), columns: 120)
        try await wide.sees("tenant_…s4ye, tenant_…s4ye")
        #expect(try await wide.end().status == 0)
        let narrow = try TerminalRun(arguments: arguments, environment: Run.environment(for: server), columns: 60)
        try await narrow.sees("CUSTOMER            FROM                  SENT  COUNTED\n")
        #expect(try await narrow.end().status == 0)
    }

    @Test("lines of a statement that differ in the second date differ on the screen")
    func statementLines() async throws {
        func line(_ description: String) -> String {
            #"""
            {"description":"\#(description)","plan":"enterprise","rate_card_version":2,"quantity":250000,"unit_price":"0.005",\#
            "amount":"1250.00","currency":"USD"}
            """#
        }
        let body = #"""
            {"tenant_slug":"acme","tenant_name":"Acme","period":"2026-12","state":"open","complete_until":"2026-12-20T08:00:00Z","events":1,\#
            "totals":[{"currency":"USD","amount":"1250.00"}],"lines":[\#(line("Logins, 2026-12-01 to 2026-12-14")),\#
            \#(line("Logins, 2026-12-15 to 2026-12-31"))]}
            """#
        let server = try StubServer(answering: .init(body: body))
        defer { server.stop() }
        for width: UInt16 in [60, 80] {
            let run = try TerminalRun(
                arguments: ["statements", "upcoming", "--tenant", "acme"], environment: Run.environment(for: server), columns: width)
            #expect(try await run.end().status == 0)
            for text in ["2026-12-01", "2026-12-14", "2026-12-15", "2026-12-31", "AMOUNT"] {
                #expect(run.screen.contains(text), "\(run.screen)")
            }
            #expect(!run.screen.contains("…"))
        }
    }
}
