import Access
import Encoding
import Foundation
import Server
import TestSupport
import Testing

/// A fresh installation gets its first operator, a tenant and its owner. Nobody has an API key before the owner issues one.
@Suite("People")
struct PeopleStoryTests {
    @Test("from the one-time link of the first operator to a key of an owner, with each actor in the audit trail")
    func fromLinkToKey() async throws {
        try await TestPlatform.run { platform in
            // The command prints a one-time link. The operator follows it.
            var grace = PersonClient(platform, "grace@example.com")
            try await grace.accept(try await Self.operatorLink(grace.email, platform), name: "Grace Hopper")
            let atGrace = try await TerminalPerson(of: grace)
            let operatorToken = try await Self.logIn(atGrace)

            // The operator creates a tenant, and invites its owner.
            let tenant = ["slug": "initech", "name": "Initech"]
            #expect(try await platform.call("POST", "/tenants", key: operatorToken, tenant).status == 201)
            var ada = PersonClient(platform)
            let invited = try await platform.call(
                "POST", "/tenants/initech/invitations", key: operatorToken, ["email": ada.email, "role": "owner"])
            let link = try #require(invited.string("url"), "\(invited.body)").dropFirst(PersonClient.account.count)

            // The owner accepts with a password and an authenticator app, and signs in with both in another browser.
            #expect(try await ada.accept(String(link)).body.contains("Your recovery codes"))
            ada.browser = TestBrowser(platform)
            #expect(try await ada.signIn().location == "/account")

            // It adds a passkey, and signs in with it in a third browser.
            let authenticator = try await Self.addPasskey(ada)
            ada.browser = TestBrowser(platform)
            let page = try await ada.open("/sign-in/passkey")
            let assertion = try authenticator.assertion(try #require(PersonClient.challenge(page)))
            #expect(try await ada.usePasskey(assertion, from: page).location == "/account")

            // It logs in from a terminal, with a browser and without one.
            let atAda = try await TerminalPerson(of: ada)
            let token = try await Self.logIn(atAda)
            let tokenOfDevice = try await Self.logInWithoutBrowser(atAda)
            for token in [token, tokenOfDevice] {
                let caller = try await platform.call("GET", "/caller", key: token)
                #expect(caller.string("actor") == atAda.person.description && caller.string("role") == "owner", "\(caller.body)")
            }

            // It issues a key, which acts in the tenant, too.
            let scopes = ["members:read", "members:write", "users:read"]
            let key = try await platform.call(
                "POST", "/tenants/initech/api-keys", key: tokenOfDevice, ["name": "CI", "scopes": scopes])
            let desk: [String: any Sendable] = ["name": "Desk", "scopes": ["users:read"]]
            #expect(try await platform.call("POST", "/tenants/initech/roles", key: key.string("secret") ?? "", desk).status == 201)

            // The audit trails name each actor: the operator, the owner, and the key.
            let (operatorID, ownerID) = (atGrace.person.description, atAda.person.description)
            let trail = try await Self.trail("tenants/initech", token, platform)
            #expect(
                trail.map { "\($0.action) \($0.actor)" } == [
                    "createTenant \(operatorID)", "createInvitation \(operatorID)", "acceptInvitation \(ownerID)",
                    "issueAPIKey \(ownerID)", "createRole \(key.resourceID)",
                ])
            // The people acted in their sessions, and the key has none.
            #expect(trail.map { $0.session != nil } == [true, true, true, true, false])
            let device = try await platform.call("GET", "/caller", key: tokenOfDevice).json["session"] as? [String: any Sendable]
            #expect(trail[3].session == device?["id"] as? String)

            let ways = try await Self.trail("platform", operatorToken, platform).drop { $0.action != "createOperator" }
            #expect(
                ways.map { "\($0.action) \($0.actor)" } == [
                    "createOperator system", "acceptInvitation \(operatorID)", "confirmAuthenticator \(operatorID)",
                    "terminalToken \(operatorID)", "confirmAuthenticator \(ownerID)", "giveSecondFactor \(ownerID)",
                    "addPasskey \(ownerID)", "signInWithPasskey \(ownerID)", "terminalToken \(ownerID)", "terminalToken \(ownerID)",
                ])
        }
    }

    // MARK: Steps

    /// Runs `espalier operators create`.
    /// - Returns: the part of the link after `/account`.
    private static func operatorLink(_ email: String, _ platform: TestPlatform) async throws -> String {
        let environment = ServedPlatform.settings(databaseURL: platform.database.serverURL, appleURL: platform.simulator.url)
        let exit = try await Program.run(
            ["operators", "create", "--email", email],
            environment: environment.merging(["ESPALIER_MASTER_KEYS": platform.masterKey]) { $1 })
        let link = try #require(exit.output.split(separator: "\n").first, "\(exit.errors)")
        #expect(link.hasPrefix(PersonClient.account + "/invitation?token="))
        return String(link.dropFirst(PersonClient.account.count))
    }

    /// Adds a passkey by its page.
    private static func addPasskey(_ person: PersonClient) async throws -> SoftwareAuthenticator {
        let page = try await person.open("/new-passkey")
        var authenticator = SoftwareAuthenticator()
        // The browser hands the account of the page on.
        let options = try #require(page.body.firstMatch(of: /data-options="([^"]*)"/)).1.replacing("&quot;", with: "\"")
        let user = (try JSONSerialization.jsonObject(with: Data(options.utf8)) as? [String: Any])?["user"] as? [String: Any]
        authenticator.userHandle = (user?["id"] as? String).flatMap { [UInt8](base64URL: $0) }
        let made = authenticator.registration(try #require(PersonClient.challenge(page)))
        let added = try await person.send(
            "/new-passkey",
            [
                ("name", "Phone"), ("client_data", made.clientData.base64URL), ("attestation_object", made.attestationObject.base64URL),
                ("transports", "internal"),
            ], from: page)
        #expect(added.location == "/account/passkeys")
        authenticator.signCount += 1
        return authenticator
    }

    /// Logs in from a terminal that opens the browser (PKCE).
    /// - Returns: the token.
    private static func logIn(_ terminal: TerminalPerson) async throws -> String {
        let program = TerminalPerson.Program()
        let answer = try await terminal.redeem(try await terminal.code(program), program)
        return try #require(answer.string("access_token"), "\(answer.body)")
    }

    /// Logs in from a terminal that shows a code (device grant).
    /// - Returns: the token.
    private static func logInWithoutBrowser(_ terminal: TerminalPerson) async throws -> String {
        let codes = try await terminal.start()
        let code = try #require(codes.string("device_code"), "\(codes.body)")
        let page = try await terminal.show(codes.string("user_code") ?? "")
        #expect(try await terminal.press("/account/device/approval", of: page).status == 200)
        let answer = try await terminal.poll(code)
        return try #require(answer.string("access_token"), "\(answer.body)")
    }

    /// The audit trail as the API shows it, in the order of the events.
    private static func trail(
        _ owner: String, _ token: String, _ platform: TestPlatform
    ) async throws -> [(action: String, actor: String, session: String?)] {
        let events = try await platform.call("GET", "/\(owner)/audit-events?limit=100", key: token).elements
        return events.sorted { ($0["sequence"] as? Int ?? 0) < ($1["sequence"] as? Int ?? 0) }.map {
            ($0["action"] as? String ?? "", $0["actor"] as? String ?? "", $0["session_id"] as? String)
        }
    }
}
