import Foundation
import Testing

@testable import espalierctl

/// The request of each command: method, path, query and body, compared with a table.
@Suite("the request of every command")
struct RequestTests {
    struct Example: CustomTestStringConvertible, Sendable {
        var command: String
        /// Method, path and query.
        var call: String
        /// Nil for a request without a body.
        var body: String?
        var answer: String
        /// The path of the resource whose version is sent as `If-Match`.
        var matchedPath: String?
        /// A part of the printed output.
        var shows: String

        init(_ command: String, _ call: String, _ body: String? = nil, answer: String, matchedPath: String? = nil, shows: String) {
            (self.command, self.call, self.body, self.answer, self.matchedPath, self.shows) = (
                command, call, body, answer, matchedPath, shows
            )
        }

        var testDescription: String { command }

        /// The arguments as a shell passes them.
        func arguments(keyFile: String) -> [String] {
            command.split(separator: " ").map { $0 == "KEY" ? keyFile : $0 == "''" ? "" : String($0) }
        }
    }

    static let tenants: [Example] = [
        .init(
            "tenants create acme --name Acme --plan enterprise", "POST /v1/tenants",
            #"{"name":"Acme","plan":"enterprise","slug":"acme"}"#, answer: Examples.tenant, shows: "tenant_1"),
        .init(
            "tenants list --status active --plan scale --slug acme --limit 2", "GET /v1/tenants?status=active&plan=scale&slug=acme&limit=2",
            answer: Examples.list(Examples.tenant), shows: "SLUG"),
        .init("tenants show acme", "GET /v1/tenants/acme", answer: Examples.tenant, shows: "Issuer"),
        .init(
            "tenants update acme --plan free", "PATCH /v1/tenants/acme", #"{"plan":"free"}"#, answer: Examples.tenant,
            matchedPath: "/v1/tenants/acme", shows: "Acme"),
        .init(
            "tenants update acme --session-limit 30d --idle-limit none --profile-retention 0 --signing-key-days 30",
            "PATCH /v1/tenants/acme",
            #"{"idle_seconds":null,"profile_retention_days":0,"session_seconds":2592000,"signing_key_days":30}"#, answer: Examples.tenant,
            matchedPath: "/v1/tenants/acme", shows: "Acme"),
        .init(
            "tenants update acme --sign-in-page on-request", "PATCH /v1/tenants/acme", #"{"sign_in_page":"on_request"}"#,
            answer: Examples.tenant, matchedPath: "/v1/tenants/acme", shows: "Acme"),
        .init(
            "tenants update acme --account-linking off", "PATCH /v1/tenants/acme", #"{"account_linking":"off"}"#,
            answer: Examples.tenant, matchedPath: "/v1/tenants/acme", shows: "Acme"),
        .init(
            "tenants update acme --no-allows-support", "PATCH /v1/tenants/acme", #"{"allows_support":false}"#,
            answer: Examples.tenant, matchedPath: "/v1/tenants/acme", shows: "Acme"),
        .init(
            "tenants update acme --single-sign-on --browser-session-limit 7d --browser-idle-limit none", "PATCH /v1/tenants/acme",
            #"{"browser_idle_seconds":null,"browser_session_seconds":604800,"single_sign_on":true}"#, answer: Examples.tenant,
            matchedPath: "/v1/tenants/acme", shows: "Acme"),
        .init("tenants suspend acme", "POST /v1/tenants/acme/suspend", answer: Examples.tenant, shows: "Status"),
        .init("tenants resume acme", "POST /v1/tenants/acme/resume", answer: Examples.tenant, shows: "Status"),
        .init("tenants delete acme --confirm=acme", "DELETE /v1/tenants/acme?confirm=acme", answer: Examples.tenant, shows: "Status"),
        .init("tenants restore acme", "POST /v1/tenants/acme/restore", answer: Examples.tenant, shows: "Status"),
        .init(
            "audit list --tenant acme --actor apikey_1 --action createTenant --subject tenant_1 --from 2026-11-01 --to 2026-12-01",
            "GET /v1/tenants/acme/audit-events?actor=apikey_1&action=createTenant&subject=tenant_1&from=2026-11-01T00:00:00Z&to=2026-12-01T00:00:00Z",
            answer: Examples.list(Examples.auditEvent.replacing("apikey_1", with: "system")), shows: "createTenant"),
        .init(
            "audit list --platform --after abc", "GET /v1/platform/audit-events?after=abc",
            answer: Examples.list(Examples.auditEvent.replacing("apikey_1", with: "system")), shows: "ACTOR"),
    ]

    static let connections: [Example] = [
        .init(
            """
            connections create --tenant acme --team-id A1B2C3D4E5 --services-id com.example.login --key-file KEY --bundle-id com.example.app \
            --email-source example.com
            """, "POST /v1/tenants/acme/connections",
            #"""
            {"bundle_ids":["com.example.app"],"email_sources":["example.com"],"key_id":"F6G7H8I9J0","private_key":"PEM",\#
            "services_id":"com.example.login","team_id":"A1B2C3D4E5"}
            """#, answer: Examples.connection(), shows: "https://id.example.com/t/acme/auth/apple/callback"),
        .init(
            "connections create --platform --team-id A1B2C3D4E5 --services-id com.example.login --key-file KEY",
            "POST /v1/platform/connection",
            #"{"key_id":"F6G7H8I9J0","private_key":"PEM","services_id":"com.example.login","team_id":"A1B2C3D4E5"}"#,
            answer: Examples.connection(), shows: "Apple keys"),
        .init(
            "connections list --tenant acme", "GET /v1/tenants/acme/connections", answer: Examples.list(Examples.connection()),
            shows: "SERVICES ID"),
        .init(
            "connections show connection_1 --tenant acme", "GET /v1/tenants/acme/connections/connection_1", answer: Examples.connection(),
            shows: "Values for Apple's portal"),
        .init("connections show --platform", "GET /v1/platform/connection", answer: Examples.connection(), shows: "Return URL"),
        .init(
            "connections update connection_1 --tenant acme --services-id com.example.other",
            "PATCH /v1/tenants/acme/connections/connection_1",
            #"{"services_id":"com.example.other"}"#, answer: Examples.connection(),
            matchedPath: "/v1/tenants/acme/connections/connection_1",
            shows: "connection_1"),
        .init(
            "connections update --platform --email-source ''", "PATCH /v1/platform/connection", #"{"email_sources":[]}"#,
            answer: Examples.connection(), matchedPath: "/v1/platform/connection", shows: "connection_1"),
        .init(
            "connections check connection_1 --tenant acme", "POST /v1/tenants/acme/connections/connection_1/check",
            answer: Examples.check("passed", Examples.passedSteps), shows: "✓ private_key  A P-256 key."),
        .init(
            "connections check connection_1 --tenant acme", "POST /v1/tenants/acme/connections/connection_1/check",
            answer: Examples.check("passed", Examples.passedSteps, hostState: "failing"),
            shows: "login.customer.com is failing: the last look did not find its proof, or no look got an answer for 2 days."),
        .init(
            "connections check --platform", "POST /v1/platform/connection/check", answer: Examples.check("passed", Examples.passedSteps),
            shows: "✓"),
        .init(
            "connections activate connection_1 --tenant acme", "POST /v1/tenants/acme/connections/connection_1/activate", "{}",
            answer: Examples.connection(isServing: true), shows: "Serving"),
        .init(
            "connections activate connection_1 --tenant acme --existing-users relink --relink-days 60",
            "POST /v1/tenants/acme/connections/connection_1/activate", #"{"existing_users":"relink","relink_days":60}"#,
            answer: Examples.connection(isServing: true), shows: "Serving"),
        .init(
            "connections use-shared --tenant acme --existing-users new-users", "POST /v1/tenants/acme/shared-connection/activate",
            #"{"existing_users":"new_users"}"#, answer: Examples.tenant, shows: "The shared connection now serves the tenant's logins."),
        .init(
            "connections delete connection_1 --tenant acme --confirm=acme", "DELETE /v1/tenants/acme/connections/connection_1", answer: "",
            matchedPath: "/v1/tenants/acme/connections/connection_1", shows: "Deleted the connection."),
        .init(
            "connections delete --platform --confirm=platform", "DELETE /v1/platform/connection", answer: "",
            matchedPath: "/v1/platform/connection", shows: "Deleted the connection."),
        .init(
            "connections transfer list --tenant acme", "GET /v1/tenants/acme/transfers", answer: Examples.list(Examples.transfer()),
            shows: "COLLECTED"),
        .init(
            "connections transfer show --tenant acme --transfer transfer_1", "GET /v1/tenants/acme/transfers/transfer_1",
            answer: Examples.transfer(), shows: "Collected"),
        .init(
            "connections transfer report --tenant acme --transfer transfer_1 --state failed",
            "GET /v1/tenants/acme/transfers/transfer_1/users?state=failed",
            answer: Examples.list(
                #"{"object":"transfer_user","user_id":"user_1","state":"failed","reason":"signed_in_anew","updated_at":""}"#),
            shows: "signed_in_anew: The person signed in"),
        .init(
            "connections transfer close --tenant acme --transfer transfer_1 --confirm=acme",
            "POST /v1/tenants/acme/transfers/transfer_1/close", answer: Examples.transfer(), shows: "Collected"),
        .init(
            "apple-keys list --tenant acme --connection connection_1", "GET /v1/tenants/acme/connections/connection_1/apple-keys",
            answer: Examples.list(Examples.appleKey), shows: "KEY ID"),
        .init(
            "apple-keys add --tenant acme --connection connection_1 --key-file KEY",
            "POST /v1/tenants/acme/connections/connection_1/apple-keys", #"{"key_id":"F6G7H8I9J0","private_key":"PEM"}"#,
            answer: Examples.appleKey, matchedPath: "/v1/tenants/acme/connections/connection_1", shows: "Apple accepts the key."),
        .init(
            "apple-keys promote applekey_1 --tenant acme --connection connection_1",
            "POST /v1/tenants/acme/connections/connection_1/apple-keys/applekey_1/promote", #"{"overlap_seconds":86400}"#,
            answer: Examples.appleKey, matchedPath: "/v1/tenants/acme/connections/connection_1", shows: "current"),
        .init(
            "apple-keys promote applekey_1 --platform --overlap 0", "POST /v1/platform/connection/apple-keys/applekey_1/promote",
            #"{"overlap_seconds":0}"#, answer: Examples.appleKey, matchedPath: "/v1/platform/connection", shows: "current"),
        .init(
            "apple-keys retire applekey_1 --platform --confirm=platform", "POST /v1/platform/connection/apple-keys/applekey_1/retire",
            answer: Examples.appleKey, matchedPath: "/v1/platform/connection", shows: "revoke this key in Apple's portal"),
    ]

    static let people: [Example] = [
        .init(
            "users list --tenant acme --search ada --email ada+x@example.com",
            "GET /v1/tenants/acme/users?search=ada&email=ada%2Bx%40example.com",
            answer: Examples.list(Examples.user), shows: "Lovelace"),
        .init("users show user_1 --tenant acme", "GET /v1/tenants/acme/users/user_1", answer: Examples.user, shows: "Identities"),
        .init(
            "users delete user_1 --tenant acme --confirm=acme", "DELETE /v1/tenants/acme/users/user_1", answer: "",
            shows: "Deleted user_1. To see Apple's confirmation: espalierctl users deletions list --user user_1 --tenant acme"
        ),
        .init(
            "users identities list user_1 --tenant acme", "GET /v1/tenants/acme/users/user_1/identities",
            answer: Examples.list(Examples.identity), shows: "001.ff"),
        .init(
            "users identities add user_1 --tenant acme --team A1B2C3D4E5 --subject 001.ff",
            "POST /v1/tenants/acme/users/user_1/identities", #"{"subject":"001.ff","team_id":"A1B2C3D4E5"}"#,
            answer: Examples.identity, shows: "001.ff"),
        .init(
            "users identities remove identity_1 --user user_1 --tenant acme --confirm=acme",
            "DELETE /v1/tenants/acme/users/user_1/identities/identity_1", answer: "", shows: "Removed identity_1."),
        .init(
            "users consents list user_1 --tenant acme", "GET /v1/tenants/acme/users/user_1/consents",
            answer: Examples.list(Examples.consent),
            shows: "openid email"),
        .init(
            "users consents revoke consent_1 --user user_1 --tenant acme --confirm=acme",
            "DELETE /v1/tenants/acme/users/user_1/consents/consent_1", answer: "", shows: "Revoked consent_1."),
        .init(
            "users deletions list --tenant acme --user user_1 --status pending",
            "GET /v1/tenants/acme/user-deletions?user=user_1&status=pending", answer: Examples.list(Examples.userDeletion),
            shows: "REQUESTED"),
        .init(
            "users deletions show deletion_1 --tenant acme", "GET /v1/tenants/acme/user-deletions/deletion_1",
            answer: Examples.userDeletion, shows: "At Apple"),
        .init(
            "sessions list --tenant acme --user user_1 --application app_1 --status active",
            "GET /v1/tenants/acme/sessions?user=user_1&application=app_1&status=active", answer: Examples.list(Examples.session),
            shows: "LAST USED"),
        .init(
            "sessions show session_1 --tenant acme", "GET /v1/tenants/acme/sessions/session_1", answer: Examples.session, shows: "openid"),
        .init(
            "sessions revoke session_1 --tenant acme", "POST /v1/tenants/acme/sessions/session_1/revoke", answer: Examples.session,
            shows: "session_1"),
        .init(
            "sessions revoke --user user_1 --tenant acme", "POST /v1/tenants/acme/users/user_1/sessions/revoke",
            answer: Examples.revocation, shows: "Revoked  3"),
        .init(
            "sessions revoke-all --tenant acme --confirm=acme", "POST /v1/tenants/acme/sessions/revoke?confirm=acme",
            answer: Examples.revocation, shows: "Revoked  3"),
        .init(
            "signing-keys list --tenant acme --limit 5", "GET /v1/tenants/acme/signing-keys?limit=5",
            answer: Examples.list(Examples.signingKey), shows: "SIGNS SINCE"),
        .init(
            "signing-keys rotate --tenant acme", "POST /v1/tenants/acme/signing-keys/rotate", "{}", answer: Examples.signingKeyRotation,
            shows: "key_1"),
        .init(
            "signing-keys rotate --tenant acme --algorithm RS256 --compromised --confirm=acme",
            "POST /v1/tenants/acme/signing-keys/rotate", #"{"algorithm":"RS256","compromised":true}"#,
            answer: Examples.signingKeyRotation, shows: "5 more minutes"),
        .init(
            "api-keys issue --tenant acme --name billing --scope usage:read --scope users:read --expires-at 2027-01-01",
            "POST /v1/tenants/acme/api-keys",
            #"{"expires_at":"2027-01-01T00:00:00Z","name":"billing","scopes":["usage:read","users:read"]}"#,
            answer: Examples.apiKeyWithSecret, shows: "esk_test_hushhush"),
        .init(
            "api-keys issue --platform --name deploy --scope tenants:write", "POST /v1/platform/api-keys",
            #"{"name":"deploy","scopes":["tenants:write"]}"#, answer: Examples.apiKeyWithSecret, shows: "shown only once"),
        .init("api-keys list --tenant acme", "GET /v1/tenants/acme/api-keys", answer: Examples.list(Examples.apiKey), shows: "SCOPES"),
        .init("api-keys show apikey_1 --platform", "GET /v1/platform/api-keys/apikey_1", answer: Examples.apiKey, shows: "usage:read"),
        .init(
            "api-keys roll apikey_1 --tenant acme --overlap 1h", "POST /v1/tenants/acme/api-keys/apikey_1/roll",
            #"{"overlap_seconds":3600}"#,
            answer: Examples.apiKeyWithSecret, shows: "esk_test_hushhush"),
        .init(
            "api-keys revoke apikey_1 --platform --confirm=platform", "POST /v1/platform/api-keys/apikey_1/revoke", answer: Examples.apiKey,
            shows: "billing"),
    ]

    static let all =
        tenants + applications + apis + domains + registration + connections + people + webhooks + notifications + pricing + budget
        + usageSink + mail + branding + members + sso

    @Test(
        "each command sends the request that the API describes",
        arguments: all)
    func request(example: Example) async throws {
        let folder = try TemporaryFolder()
        try folder.file("AuthKey_F6G7H8I9J0.p8", Examples.pem)
        let server = try StubServer { request in
            if request.method == "GET", request.path == example.matchedPath {
                return .init(
                    headers: ["Content-Type": "application/json", "ETag": "\"v7\""], body: example.answer.isEmpty ? "{}" : example.answer)
            }
            return .init(status: example.answer.isEmpty ? 204 : 200, body: example.answer)
        }
        defer { server.stop() }
        let arguments = example.arguments(keyFile: folder.path("AuthKey_F6G7H8I9J0.p8"))
        let run = try await Run(arguments: arguments, environment: Run.environment(for: server), folder: folder.url)

        #expect(run.status == 0, "\(run.messages)")
        #expect((run.output + run.messages).contains(example.shows), "\(run.output)\(run.messages)")
        let request = try #require(server.received.last)
        #expect(request.call == example.call)
        #expect(
            request.body
                == (example.body ?? "").replacingOccurrences(of: "PEM", with: Examples.pem.replacingOccurrences(of: "\n", with: "\\n")))
        #expect(request.header("Content-Type") == (example.body == nil ? nil : "application/json"))
        #expect((request.header("Idempotency-Key") != nil) == (request.method == "POST"))
        #expect(request.header("If-Match") == (example.matchedPath == nil ? nil : "\"v7\""))
        #expect(server.received.count == (example.matchedPath == nil ? 1 : 2))
        #expect(!(run.output + run.messages).contains("c2VjcmV0"), "the private key is shown")
    }

    @Test(
        "--dry-run prints the request without its secrets, and sends nothing",
        arguments: all)
    func dryRun(example: Example) async throws {
        // An estimate changes nothing, although it is a POST.
        guard !example.call.hasPrefix("GET"), !example.command.hasPrefix("pricing estimate") else { return }
        let folder = try TemporaryFolder()
        try folder.file("AuthKey_F6G7H8I9J0.p8", Examples.pem)
        let server = try StubServer(answering: .init(body: "{}"))
        defer { server.stop() }
        let arguments = example.arguments(keyFile: folder.path("AuthKey_F6G7H8I9J0.p8"))
        let run = try await Run(
            arguments: arguments + ["--dry-run", "--json"], environment: Run.environment(for: server), folder: folder.url)

        #expect(run.status == 0, "\(run.messages)")
        #expect(server.received.isEmpty)
        for secret in [Run.exampleKey, "c2VjcmV0"] { #expect(!(run.output + run.messages).contains(secret)) }
        let shown = try JSONDecoder().decode(JSON.self, from: Data(run.output.utf8))
        #expect("\(shown["method"]?.text ?? "") \(shown["path"]?.text ?? "")" == example.call)
        let expected = example.body.map { $0.replacingOccurrences(of: "PEM", with: "(not shown)") }
        #expect(shown["body"] == (try expected.map { try JSONDecoder().decode(JSON.self, from: Data($0.utf8)) }))
        #expect(shown["if_match"]?.string == example.matchedPath.map { "(the ETag of \($0))" })
    }

    @Test("every command has a help with examples, and a test of its request")
    func helps() async throws {
        let dump = try await Run("--experimental-dump-help")
        let root = try #require(try JSONDecoder().decode(JSON.self, from: Data(dump.output.utf8))["command"])
        var commands: [(name: String, command: JSON)] = []
        func walk(_ command: JSON, _ path: [String]) {
            let children = (command["subcommands"]?.elements ?? []).filter { $0["commandName"] != "help" }
            for child in children { walk(child, path + [child["commandName"]?.text ?? ""]) }
            if children.isEmpty { commands.append((path.joined(separator: " "), command)) }
        }
        walk(root, [])
        #expect(commands.count > 60)
        let tested = Self.all
        for (name, command) in commands {
            #expect(command["abstract"] != nil, "\(name)")
            #expect(command["discussion"]?.string?.contains("EXAMPLES\n  espalierctl \(name)") == true, "\(name)")
            for line in command["discussion"]?.string?.split(separator: "\n") ?? [] where line.hasPrefix("  ") {
                #expect(line.count < 80, "\(line)")
            }
            // These commands have their own suites.
            if name.hasPrefix("config ") || name.hasPrefix("statements ")
                || [
                    "completion", "login", "logout", "open", "webhooks listen", "logs tail", "pricing print", "usage show", "usage export",
                    "tenants onboard",
                    "apple-keys rotate",
                    "applications test-login", "branding set-logo",
                ].contains(name)
                || ["connections transfer collect", "connections transfer exchange"].contains(name)
            {
                continue
            }
            #expect(tested.contains { $0.command.hasPrefix(name + " ") }, "\(name) is not in the table")
        }
    }
}
