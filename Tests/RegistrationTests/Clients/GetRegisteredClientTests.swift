import Foundation
import Postgres
import Server
import TestSupport
import Testing

@Suite("Get registered client")
struct GetRegisteredClientTests {
    @Test("a client reads its metadata, the same token and no secret")
    func shows() async throws {
        try await TestPlatform.run { platform in
            let registrant = try await Registrant.make(platform)
            let client = try await registrant.client()
            let answer = try await registrant.send("GET", client.uri, token: client.token)
            #expect(answer.status == 200 && answer.header("Cache-Control") == "no-store")
            let secrets: Set = ["client_secret", "client_secret_expires_at"]
            #expect(Set(answer.json.keys) == Set(client.answer.json.keys).subtracting(secrets))
            for (member, value) in client.answer.json where !secrets.contains(member) {
                #expect("\(answer.json[member] ?? "")" == "\(value)", "\(member)")
            }
            // A change of an administrator is there, too.
            _ = try await platform.call("PATCH", "/tenants/acme/applications/\(client.id)", ["requires_offline_access": true])
            let changed = try await registrant.send("GET", client.uri, token: client.token)
            #expect(changed.json["grant_types"] as? [String] == ["authorization_code"])
        }
    }

    @Test("only the token of this client and tenant is accepted, and each defect has the same response")
    func refuses() async throws {
        try await TestPlatform.run { platform in
            let registrant = try await Registrant.make(platform)
            let (client, other) = (try await registrant.client(), try await registrant.client())
            let foreign = try await Registrant.make(platform, platform.globex).client()
            let administrators = platform.acme.applications[0].client_id
            let none = try await registrant.send("GET", client.uri, token: nil)
            #expect(none.status == 401 && none.header("WWW-Authenticate") == "Bearer realm=\"espalier\"")
            var bodies: Set<String> = []
            for (uri, token) in [
                (client.uri, other.token), (client.uri, registrant.token), (client.uri, client.secret ?? ""), (client.uri, foreign.token),
                (client.uri, platform.operatorKey), (client.uri, client.token + "a"),
                ("\(registrant.endpoint)/\(administrators)", client.token),
                ("\(registrant.endpoint)/\(foreign.id)", foreign.token), ("\(registrant.endpoint)/app_x", client.token),
                (client.uri.replacing("/t/acme/", with: "/t/globex/"), client.token),
            ] {
                for (method, body) in [("GET", nil), ("PUT", Registrant.web), ("DELETE", nil)] as [(String, [String: any Sendable]?)] {
                    let answer = try await registrant.send(method, uri, token: token, body)
                    #expect(answer.isOAuthError(401, "invalid_token"), "\(method) \(answer.status) \(answer.body)")
                    bodies.insert(answer.body)
                }
            }
            #expect(bodies.count == 1)
            // The registration access token is not an API key, and a row with another client's digest authenticates nobody.
            #expect(try await platform.call("GET", "/tenants/acme", key: client.token).status == 401)
            _ = try await platform.ownerPool.run(
                """
                UPDATE client_registration SET (digest, bound_digest) = (SELECT digest, bound_digest FROM client_registration
                    WHERE tenant_id = (SELECT id FROM tenant WHERE slug = 'globex'))
                WHERE tenant_id = (SELECT id FROM tenant WHERE slug = 'acme')
                """)
            #expect(try await registrant.send("GET", client.uri, token: foreign.token).isOAuthError(401, "invalid_token"))
        }
    }
}
