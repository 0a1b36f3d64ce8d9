import Foundation
import NIOHTTP1
import Server
import Tenancy
import TestSupport
import Testing

/// Authentication of applications by their own keys (RFC 7523).
@Suite("Private key JWT")
struct PrivateKeyJWTTests {
    /// A web application of Acme with keys in place of a secret, and its machine.
    private struct Stage: Sendable {
        let platform: TestPlatform
        let key: ClientKey
        let request: TestBrowser.Request
        let machine: String

        var client: String { request.application.client_id }
        var issuer: String { platform.acme.issuer }

        static func run(
            _ algorithm: String = "ES256", _ adjust: @Sendable @escaping (inout Settings) -> Void = { _ in },
            _ body: @Sendable @escaping (Stage) async throws -> Void
        ) async throws {
            try await TestPlatform.run(adjust) { platform in
                let key = try ClientKey("key-1", algorithm)
                let request = TestBrowser.Request(platform.acme)
                let keys: [String: any Sendable] = ["token_endpoint_auth_method": "private_key_jwt", "jwks": try ClientKey.set(key)]
                let changed = try await platform.call(
                    "PATCH", "/tenants/acme/applications/\(request.application.client_id)", keys)
                #expect(changed.status == 200, "\(changed.body)")
                let made = try await platform.call(
                    "POST", "/tenants/acme/applications", ["name": "API", "kind": "machine"].merging(keys) { $1 })
                #expect(made.status == 201 && made.json["client_secret"] == nil, "\(made.body)")
                platform.installation.directory.forgetAll(isFresh: true)
                try await body(Stage(platform: platform, key: key, request: request, machine: made.string("id") ?? ""))
            }
        }

        func assertion(
            of client: String? = nil, for audience: String? = nil, by key: ClientKey? = nil, _ changes: [String: (any Sendable)?] = [:]
        ) throws -> String {
            try (key ?? self.key).assertion(of: client ?? self.client, for: audience ?? issuer, changes)
        }

        func ask(
            _ form: [(String, String)], endpoint: String = "token", headers: [(String, String)] = [], address: String? = nil
        ) async throws -> TestBrowser.Answer {
            let browser = TestBrowser(publicURL: TestPlatform.publicURL, address: address ?? platform.address)
            return try await browser.post(
                "\(issuer)/oauth2/\(endpoint)", form: [("grant_type", "refresh_token"), ("refresh_token", "x"), ("token", "x")] + form,
                headers: headers)
        }
    }

    @Test("a login, a refresh, an introspection and a revocation, each with a new assertion", arguments: ["ES256", "RS256", "PS256"])
    func whole(_ algorithm: String) async throws {
        try await Stage.run(algorithm) { stage in
            let browser = TestBrowser(stage.platform)
            let code = try await browser.code(stage.request)
            func token(_ form: [(String, String)]) async throws -> TestBrowser.Answer {
                try await browser.post("\(stage.issuer)/oauth2/token", form: form + ClientKey.form(try stage.assertion()))
            }
            let redeemed = try await token([
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", stage.request.redirectURI),
                ("code_verifier", stage.request.verifier), ("client_id", stage.client),
            ])
            #expect(redeemed.status == 200, "\(redeemed.body)")
            let refreshed = try await token([("grant_type", "refresh_token"), ("refresh_token", redeemed.string("refresh_token") ?? "")])
            #expect(refreshed.status == 200, "\(refreshed.body)")
            let access = refreshed.string("access_token") ?? ""
            for (client, audience) in [
                (stage.client, "\(stage.issuer)/oauth2/introspect"), (stage.machine, stage.issuer),
                (stage.machine, "\(stage.issuer)/oauth2/token"),
            ] {
                let seen = try await browser.post(
                    "\(stage.issuer)/oauth2/introspect",
                    form: [("token", access)] + ClientKey.form(try stage.assertion(of: client, for: audience)))
                #expect(seen.json["active"] as? Bool == true, "\(seen.body)")
            }
            let revoked = try await browser.post(
                "\(stage.issuer)/oauth2/revoke", form: [("token", access)] + ClientKey.form(try stage.assertion()))
            #expect(revoked.status == 200)
            #expect(try await browser.userInfo(access, of: stage.platform.acme).status == 401)
        }
    }

    @Test("an assertion is accepted once, by all endpoints and processes together")
    func once() async throws {
        try await Stage.run { stage in
            try await SecondServer.run(beside: stage.platform) { second in
                let form = ClientKey.form(try stage.assertion())
                #expect(try await stage.ask(form).isOAuthError(400, "invalid_grant"))
                for (endpoint, address) in [
                    ("token", nil), ("introspect", nil), ("revoke", nil), ("token", second.address), ("introspect", second.address),
                ] {
                    let again = try await stage.ask(form, endpoint: endpoint, address: address)
                    #expect(again.isOAuthError(401, "invalid_client") && again.body.contains("used before"), "\(again.body)")
                }
                // The ID belongs to the application.
                let id: [String: (any Sendable)?] = ["jti": "same"]
                #expect(try await stage.ask(ClientKey.form(try stage.assertion(id)), endpoint: "introspect").status == 200)
                let other = try await stage.ask(ClientKey.form(try stage.assertion(of: stage.machine, id)), endpoint: "introspect")
                #expect(other.status == 200, "\(other.body)")
                #expect(try await stage.ask(ClientKey.form(try stage.assertion(id))).isOAuthError(401, "invalid_client"))

                let racing = ClientKey.form(try stage.assertion())
                let statuses = try await withThrowingTaskGroup(of: Int.self) { tasks in
                    for number in 0..<8 {
                        tasks.addTask {
                            try await stage.ask(racing, endpoint: "introspect", address: number % 2 == 0 ? second.address : nil).status
                        }
                    }
                    return try await tasks.reduce(into: []) { $0.append($1) }
                }
                #expect(statuses.filter { $0 == 200 }.count == 1 && statuses.filter { $0 == 401 }.count == 7)
            }
        }
    }

    @Test("an assertion that is not valid uses up nothing, and its refusal names the rule")
    func refused() async throws {
        try await Stage.run { stage in
            let foreign = try ClientKey("key-1")
            let id: [String: (any Sendable)?] = ["jti": "kept"]
            for (assertion, text) in [
                (try stage.assertion(by: foreign, id), "No registered key"),
                (try stage.assertion(for: stage.platform.globex.issuer, id), "aud"),
                (try stage.assertion(id.merging(["exp": 1]) { $1 }), "expired"),
                (try stage.assertion(id.merging(["iss": "x"]) { $1 }), "iss and sub"),
                (try stage.assertion(of: stage.platform.globex.applications[0].client_id, id), "unknown"), ("x", "unknown"),
                (try stage.assertion(of: stage.platform.acme.applications[1].client_id, id), "does not authenticate by private_key_jwt"),
                (try stage.assertion(of: stage.platform.acme.applications[2].client_id, id), "does not authenticate by private_key_jwt"),
            ] {
                for endpoint in ["token", "introspect", "revoke"] {
                    let answer = try await stage.ask(ClientKey.form(assertion), endpoint: endpoint)
                    #expect(answer.isOAuthError(401, "invalid_client"), "\(text): \(answer.body)")
                    #expect(answer.body.contains(text), "\(answer.body)")
                }
            }
            #expect(try await stage.platform.count("single_use") == 0)
            #expect(try await stage.ask(ClientKey.form(try stage.assertion(id))).isOAuthError(400, "invalid_grant"))
        }
    }

    @Test("a request has one method, and an application has one method")
    func methods() async throws {
        try await Stage.run { stage in
            let secret = stage.request.application.client_secret ?? ""
            let basic = ("Authorization", "Basic \(Data("\(stage.client):\(secret)".utf8).base64EncodedString())")
            // Its old secret has ended.
            for answer in [
                try await stage.ask([("client_id", stage.client), ("client_secret", secret)]), try await stage.ask([], headers: [basic]),
                try await stage.ask([("client_id", stage.client)]),
            ] {
                #expect(answer.isOAuthError(401, "invalid_client") && answer.body.contains("private_key_jwt"), "\(answer.body)")
            }
            let form = ClientKey.form(try stage.assertion())
            for answer in [
                try await stage.ask(form, headers: [basic]), try await stage.ask(form + [("client_secret", secret)]),
                try await stage.ask([form[0]]), try await stage.ask([form[1]]),
                try await stage.ask([("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:saml2-bearer"), form[1]]),
            ] {
                #expect(answer.isOAuthError(400, "invalid_request"), "\(answer.body)")
            }
            // The form and the assertion must name the same application.
            let other = try await stage.ask(form + [("client_id", stage.machine)])
            #expect(other.isOAuthError(401, "invalid_client"))
            #expect(try await stage.ask(form + [("client_id", stage.client)]).isOAuthError(400, "invalid_grant"))
        }
    }

    @Test("with private_key_jwt, the secrets end, none is issued, and the way back is a roll")
    func change() async throws {
        try await Stage.run { stage in
            let path = "/tenants/acme/applications/\(stage.client)"
            #expect(
                try await stage.platform.count(
                    "application_secret", where: "application_id = (SELECT id FROM application WHERE jwks IS NOT NULL AND kind = 'web')")
                    == 0)
            let rolled = try await stage.platform.call("POST", "\(path)/secrets/roll")
            #expect(rolled.status == 409 && rolled.body.contains("client_secret_basic"), "\(rolled.body)")
            let without = try await stage.platform.call("PATCH", path, ["jwks": NSNull()])
            #expect(without.status == 409 && without.body.contains("jwks_uri"), "\(without.body)")
            let both = try await stage.platform.call("PATCH", path, ["jwks_uri": "https://shop.example/jwks"])
            #expect(both.status == 409, "\(both.body)")
            let back = try await stage.platform.call("PATCH", path, ["token_endpoint_auth_method": NSNull(), "jwks": NSNull()])
            #expect(back.json["token_endpoint_auth_method"] as? String == "client_secret_basic" && back.json["jwks"] == nil, "\(back.body)")
            let secret = try await stage.platform.call("POST", "\(path)/secrets/roll")
            #expect(secret.status == 201)
            stage.platform.installation.directory.forgetAll(isFresh: true)
            let answer = try await stage.ask([("client_id", stage.client), ("client_secret", secret.string("client_secret") ?? "")])
            #expect(answer.isOAuthError(400, "invalid_grant"), "\(answer.body)")
            #expect(try await stage.ask(ClientKey.form(try stage.assertion())).isOAuthError(401, "invalid_client"))
        }
    }

    // MARK: jwks_uri

    /// Makes the receiver the publisher of the web application's keys.
    private static func published(
        allowsPrivate: Bool = true, _ body: @Sendable @escaping (Stage, WebhookReceiver) async throws -> Void
    ) async throws {
        try await WebhookReceiver.run { receiver in
            try await Stage.run("ES256", { $0.allowsPrivateWebhooks = allowsPrivate }) { stage in
                _ = try await stage.platform.change(stage.request.application, "jwks = NULL, jwks_uri = '\(receiver.url)'")
                try await body(stage, receiver)
            }
        }
    }

    @Test("published keys are fetched once, and again for an unknown kid, but not for each invented one")
    func fetched() async throws {
        try await Self.published { stage, receiver in
            receiver.answer(.body(try ClientKey.document(stage.key)))
            for _ in 0..<3 { #expect(try await stage.ask(ClientKey.form(try stage.assertion())).isOAuthError(400, "invalid_grant")) }
            #expect(receiver.received.count == 1)
            #expect(receiver.received[0].body.isEmpty && receiver.received[0].header("accept").contains("jwk-set"))

            let next = try ClientKey("key-2")
            receiver.answer(.body(try ClientKey.document(stage.key, next)))
            #expect(try await stage.ask(ClientKey.form(try stage.assertion(by: next))).isOAuthError(400, "invalid_grant"))
            #expect(receiver.received.count == 2)
            for number in 0..<20 {
                let invented = try stage.assertion(by: try ClientKey("invented-\(number)"))
                #expect(try await stage.ask(ClientKey.form(invented)).isOAuthError(401, "invalid_client"))
            }
            #expect(receiver.received.count <= 6)
            #expect(try await stage.ask(ClientKey.form(try stage.assertion())).isOAuthError(400, "invalid_grant"))
        }
    }

    @Test("an unavailable document is a temporary failure, without a secret in the log")
    func unavailable() async throws {
        try await Self.published { stage, receiver in
            for (answer, reason) in [
                (.status(500), "status"), (.redirect(to: "https://evil.test/"), "status"), (.body("{}"), "no_keys"), (.endless, "no_keys"),
            ] as [(WebhookReceiver.Answer, String)] {
                receiver.answer(answer)
                let refused = try await stage.ask(ClientKey.form(try stage.assertion()))
                #expect(refused.isOAuthError(503, "temporarily_unavailable") && refused.body.contains(reason), "\(refused.body)")
            }
            #expect(try await stage.platform.count("single_use") == 0)
        }
    }

    @Test("keys are never fetched from a private network")
    func privateNetwork() async throws {
        try await Self.published(allowsPrivate: false) { stage, receiver in
            receiver.answer(.body(try ClientKey.document(stage.key)))
            let refused = try await stage.ask(ClientKey.form(try stage.assertion()))
            #expect(refused.isOAuthError(503, "temporarily_unavailable") && refused.body.contains("address_refused"), "\(refused.body)")
            #expect(receiver.received.isEmpty)
        }
    }

    @Test("an assertion with invalid claims causes no fetch")
    func unpaid() async throws {
        try await Self.published { stage, receiver in
            for changes in [["exp": 1], ["aud": "x"], ["iss": "x"], ["jti": nil]] as [[String: (any Sendable)?]] {
                let refused = try await stage.ask(ClientKey.form(try stage.assertion(changes)))
                #expect(refused.isOAuthError(401, "invalid_client"))
            }
            #expect(receiver.received.isEmpty)
        }
    }
}
