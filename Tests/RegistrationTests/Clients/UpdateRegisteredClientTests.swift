import Foundation
import Server
import TestSupport
import Testing

@Suite("Update registered client")
struct UpdateRegisteredClientTests {
    @Test("the new metadata replace the old ones, the token and the secret stay, and administrators' settings do not change")
    func replaces() async throws {
        try await TestPlatform.run { platform in
            let registrant = try await Registrant.make(platform)
            let client = try await registrant.client(
                Registrant.web.merging([
                    "client_uri": "https://shop.test", "software_id": "shop", "contacts": ["ada@shop.test"],
                    "post_logout_redirect_uris": ["https://app.test/bye"],
                ]) { $1 })
            let path = "/tenants/acme/applications/\(client.id)"
            _ = try await platform.call("PATCH", path, ["access_token_seconds": 900])
            let answer = try await registrant.send(
                "PUT", client.uri, token: client.token,
                [
                    "client_id": client.id, "client_secret": client.secret,
                    "redirect_uris": [TestPlatform.redirectURI, "https://b.test/cb"],
                    "client_name": "New", "id_token_signed_response_alg": "ES256", "client_uri": NSNull(), "software_id": "shop",
                    // A client that sends the whole response again is not refused.
                    "registration_access_token": client.token, "registration_client_uri": client.uri, "client_id_issued_at": 0,
                ])
            #expect(answer.status == 200, "\(answer.body)")
            #expect(answer.string("client_name") == "New" && answer.string("client_uri") == nil && answer.json["contacts"] == nil)
            #expect(answer.json["redirect_uris"] as? [String] == [TestPlatform.redirectURI, "https://b.test/cb"])
            #expect(answer.json["post_logout_redirect_uris"] as? [String] == [] && answer.string("software_id") == "shop")
            #expect(answer.json["grant_types"] as? [String] == ["authorization_code"])
            #expect(answer.string("registration_access_token") == client.token && answer.string("client_secret") == nil)
            let shown = try await platform.call("GET", path)
            #expect(shown.json["access_token_seconds"] as? Int == 900 && shown.string("signing_algorithm") == "ES256")
            #expect(try await registrant.send("GET", client.uri, token: client.token).body == answer.body)
            _ = try await TestBrowser(platform).tokens(try registrant.request(client))
            let trail = try await platform.audited("updateRegisteredClient")
            #expect(trail.count == 2 && trail.allSatisfy { $0.actor == registrant.id && $0.subject == client.id })
            #expect(trail.allSatisfy { !$0.text.contains("ada@") && !$0.text.contains(client.token) })
        }
    }

    @Test("another ID, a wrong secret, another kind and invalid metadata are refused, and nothing changes")
    func refuses() async throws {
        try await TestPlatform.run { platform in
            let registrant = try await Registrant.make(platform)
            let (client, other) = (try await registrant.client(), try await registrant.client())
            let cases: [([String: any Sendable], String, String)] = [
                ([:], "invalid_client_metadata", "client_id"), (["client_id": other.id], "invalid_client_metadata", "client_id"),
                (["client_id": client.id, "client_secret": other.secret], "invalid_client_metadata", "client_secret"),
                (["client_id": client.id, "client_secret": "mine"], "invalid_client_metadata", "client_secret"),
                (["client_id": client.id, "token_endpoint_auth_method": "none"], "invalid_client_metadata", "kind"),
                (
                    ["client_id": client.id, "grant_types": ["client_credentials"], "redirect_uris": [String]()], "invalid_client_metadata",
                    "kind"
                ),
                (["client_id": client.id, "redirect_uris": ["http://app.test/cb"]], "invalid_redirect_uri", "redirect_uris"),
                (["client_id": client.id, "redirect_uris": [String]()], "invalid_redirect_uri", "redirect_uris"),
                (
                    ["client_id": client.id, "redirect_uris": ["myapp:/cb"], "token_endpoint_auth_method": "client_secret_basic"],
                    "invalid_redirect_uri", "redirect_uris"
                ),
                (["client_id": client.id, "subject_type": "pairwise"], "invalid_client_metadata", "subject_type"),
            ]
            for (changes, error, member) in cases {
                let answer = try await registrant.send(
                    "PUT", client.uri, token: client.token, Registrant.web.merging(changes) { $1 })
                #expect(answer.refuses(error, naming: member), "\(changes): \(answer.body)")
            }
            #expect(try await platform.auditTrail(of: "updateRegisteredClient").isEmpty)
        }
    }

    @Test("the replacements of a tenant's clients are limited, because each one is audited; reading is not")
    func limited() async throws {
        try await TestPlatform.run({ $0.apiChangesPerMinute = 50 }) { platform in
            let registrant = try await Registrant.make(platform)
            let (client, other) = (try await registrant.client(), try await registrant.client())
            func replace(_ name: String) async throws -> TestBrowser.Answer {
                try await registrant.send(
                    "PUT", client.uri, token: client.token,
                    Registrant.web.merging(["client_id": client.id, "client_name": name, "unknown": String(repeating: "x", count: 30_000)])
                    { $1 })
            }
            var answers: [TestBrowser.Answer] = []
            for number in 0..<6 { answers.append(try await replace("Shop \(number)")) }
            #expect(answers.first?.status == 200)
            let last = try #require(answers.last)
            #expect(last.isOAuthError(429, "temporarily_unavailable") && last.header("Retry-After") != nil, "\(last.body)")
            let events = try await platform.audited("updateRegisteredClient").count
            #expect(events == answers.filter { $0.status == 200 }.count)
            for client in [client, other] { #expect(try await registrant.send("GET", client.uri, token: client.token).status == 200) }
        }
    }

    @Test("a client that uses up its limit blocks no other client, and a chunked body counts its bytes")
    func ofOneClient() async throws {
        try await TestPlatform.run { platform in
            let registrant = try await Registrant.make(platform)
            let (client, other) = (try await registrant.client(), try await registrant.client())
            for _ in 0..<8 { #expect(try await registrant.replace(other, isChunked: true).status == 200) }
            let limited = try await eventually("its limit is used up") {
                let answer = try await registrant.replace(client)
                return answer.status == 200 ? nil : answer
            }
            #expect(limited.isOAuthError(429, "temporarily_unavailable") && limited.header("Retry-After") != nil, "\(limited.body)")
            #expect(try await registrant.replace(other).status == 200)
            let large = try await registrant.send(
                "PUT", other.uri, token: other.token, ["unknown": String(repeating: "x", count: 70_000)], isChunked: true)
            #expect(large.status == 413)
        }
    }

    @Test("a replacement that waits while an administrator ends the registration is refused, also one without a change")
    func ended() async throws {
        try await TestPlatform.run { platform in
            let registrant = try await Registrant.make(platform)
            for changes: [String: any Sendable] in [["client_name": "Late", "software_id": "late"], [:]] {
                let client = try await registrant.client()
                let path = "/tenants/acme/applications/\(client.id)"
                let answers = try await registrant.held([{ try await registrant.replace(client, changes) }]) {
                    let status = try await platform.call("DELETE", "\(path)/registration").status
                    #expect(status == 204)
                }
                #expect(answers[0].isOAuthError(401, "invalid_token"), "\(answers[0].body)")
                #expect(try await platform.call("GET", path).string("name") == "Shop")
            }
            #expect(try await platform.audited("updateRegisteredClient").isEmpty)
        }
    }

    @Test("of two replacements at the same time, the second one replaces all metadata of the first one")
    func twoAtOnce() async throws {
        try await TestPlatform.run { platform in
            let registrant = try await Registrant.make(platform)
            let client = try await registrant.client()
            let answers = try await registrant.held([
                { try await registrant.replace(client, ["client_name": "First", "software_id": "first"]) },
                { try await registrant.replace(client, ["client_name": "Second"]) },
            ])
            #expect(answers.map(\.status) == [200, 200], "\(answers.map(\.body))")
            let shown = try await registrant.send("GET", client.uri, token: client.token)
            #expect(shown.string("client_name") == "Second" && shown.string("software_id") == nil, "\(shown.body)")
        }
    }

    @Test("a change of the algorithm creates the tenant's signing key")
    func signingKey() async throws {
        try await TestPlatform.run { platform in
            let registrant = try await Registrant.make(platform)
            let client = try await registrant.client(Registrant.web.merging(["id_token_signed_response_alg": "ES256"]) { $1 })
            func keys() async throws -> Int { try await platform.count("signing_key", where: "algorithm = 'RS256'") }
            let before = try await keys()
            #expect(try await registrant.replace(client).string("id_token_signed_response_alg") == "RS256")
            #expect(try await keys() > before)
        }
    }

    @Test("the sent secret is compared with the stored ones, so a new secret works at once, and a deleted one no longer does")
    func rolled() async throws {
        try await TestPlatform.run { platform in
            let registrant = try await Registrant.make(platform)
            let client = try await registrant.client()
            _ = try await TestBrowser(platform).tokens(try registrant.request(client))
            let roll = try await platform.call(
                "POST", "/tenants/acme/applications/\(client.id)/secrets/roll", ["overlap_seconds": 0])
            #expect(try await registrant.replace(client, ["client_secret": roll.string("client_secret")]).status == 200)
            let old = try await registrant.replace(client, ["client_secret": client.secret])
            #expect(old.refuses("invalid_client_metadata", naming: "client_secret"), "\(old.body)")
        }
    }

    @Test("a public client stays one, and development URIs need an administrator's permission")
    func publicClient() async throws {
        try await TestPlatform.run { platform in
            let registrant = try await Registrant.make(platform)
            let page: [String: any Sendable] = ["redirect_uris": ["https://a.test/cb"], "token_endpoint_auth_method": "none"]
            let client = try await registrant.client(page)
            func replace(_ uris: [String]) async throws -> TestBrowser.Answer {
                try await registrant.send(
                    "PUT", client.uri, token: client.token,
                    ["client_id": client.id, "redirect_uris": uris, "token_endpoint_auth_method": "none"])
            }
            // Its kind stays `spa`, although the metadata alone would describe a native application.
            #expect(try await replace(["https://a.test/cb", "http://127.0.0.1/cb"]).status == 200)
            #expect(try await replace(["com.example.app:/cb"]).refuses("invalid_redirect_uri", naming: "native"))
            let preview = "https://*.preview.test/cb"
            #expect(try await replace([preview]).refuses("invalid_redirect_uri", naming: "development"))
            _ = try await platform.call("PATCH", "/tenants/acme/applications/\(client.id)", ["allows_development_uris": true])
            #expect(try await replace([preview]).json["redirect_uris"] as? [String] == [preview])
        }
    }

    @Test("a client requires pushed requests and proofs of its key of itself, and cannot take this back")
    func requirements() async throws {
        try await TestPlatform.run { platform in
            let registrant = try await Registrant.make(platform)
            let members = ["require_pushed_authorization_requests", "dpop_bound_access_tokens"]
            let client = try await registrant.client(
                Registrant.web.merging(members.map { ($0, true) }, uniquingKeysWith: { $1 }))
            let replaced = try await registrant.send(
                "PUT", client.uri, token: client.token,
                Registrant.web.merging(members.map { ($0, false) }, uniquingKeysWith: { $1 }).merging(["client_id": client.id]) { $1 })
            #expect(replaced.status == 200, "\(replaced.body)")
            for answer in [client.answer, replaced] { for member in members { #expect(answer.json[member] as? Bool == true, "\(member)") } }
            let direct = try await TestBrowser(platform).authorize(try registrant.request(client))
            #expect(direct["error"] == "invalid_request", "\(direct.status) \(direct.location ?? direct.body)")
            // An administrator takes it back.
            let settings: [String: any Sendable] = ["requires_pushed_requests": false, "requires_dpop": false]
            _ = try await platform.call("PATCH", "/tenants/acme/applications/\(client.id)", settings)
            #expect(try await registrant.send("GET", client.uri, token: client.token).json[members[0]] == nil)
            _ = try await TestBrowser(platform).tokens(try registrant.request(client))
        }
    }

    @Test("a client can change to its own key, which ends its secret, and never back")
    func ownKey() async throws {
        try await TestPlatform.run { platform in
            let registrant = try await Registrant.make(platform)
            let client = try await registrant.client()
            let jwks = try ClientKey.set(ClientKey())
            let changed = try await registrant.send(
                "PUT", client.uri, token: client.token,
                Registrant.web.merging(["client_id": client.id, "token_endpoint_auth_method": "private_key_jwt", "jwks": jwks]) { $1 })
            #expect(changed.status == 200 && changed.json["jwks"] != nil, "\(changed.body)")
            #expect(try await platform.count("application_secret", where: "last_four = '\(client.secret?.suffix(4) ?? "")'") == 0)
            let back = try await registrant.send(
                "PUT", client.uri, token: client.token, Registrant.web.merging(["client_id": client.id]) { $1 })
            #expect(back.refuses("invalid_client_metadata", naming: "token_endpoint_auth_method"), "\(back.body)")
        }
    }
}
