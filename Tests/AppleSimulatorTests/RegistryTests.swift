import AppleSimulator
import Crypto
import Foundation
import JWTKit
import Testing

@Suite("Registry")
struct RegistryTests {
    private static let publicKey = P256.Signing.PrivateKey().publicKey.pemRepresentation

    private static func quoted(_ text: String) -> String {
        String(decoding: (try? JSONEncoder().encode(text)) ?? Data(), as: UTF8.self)
    }

    @Test("a registry file is effective from the start, and the registry returns it")
    func file() async throws {
        let key = ES256PrivateKey()
        let json = """
            {"teams": [{"id": "TEAM000007", "kind": "individual", "bundle_ids": ["org.seven.app"],
                        "notification_url": "https://seven.example/notifications",
                        "services_ids": [{"id": "org.seven.web", "display_name": "Seven", "return_urls": ["https://seven.example/cb"]}],
                        "keys": [{"id": "KEY0000007", "public_key": \(Self.quoted(key.publicKey.pemRepresentation))}]}],
             "people": [{"name": "Only One", "email": null, "boolean_style": "strings", "organization": "one.example"}]}
            """
        let folder = FileManager.default.temporaryDirectory.appending(path: "registry-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "registry.json")
        try Data(json.utf8).write(to: file)

        try await withSimulator(AppleSimulator.Configuration(registry: try Registry(contentsOf: file))) { website in
            let code = try await website.code(
                as: "Only One", ["client_id": "org.seven.web", "redirect_uri": "https://seven.example/cb"])
            var claims = website.secretClaims(clientID: "org.seven.web")
            claims["iss"] = "TEAM000007"
            let secret = try await website.secret(claims, header: ["kid": "KEY0000007"], key: key)
            let answer = try await website.redeem(
                code, ["client_id": "org.seven.web", "client_secret": secret, "redirect_uri": "https://seven.example/cb"])
            #expect(try await website.verified(answer["id_token"])["org_id"] == "one.example")
            let shown = try await website.send("GET", "/simulator/registry").text
            _ = try Registry(json: Data(shown.utf8))
            #expect(shown.contains("org.seven.web") && shown.contains("KEY0000007") && shown.contains("Only One"))
            #expect(!shown.contains("Ada Lovelace"))
            for _ in 1...2 { expectSuccess(try await website.authorize(as: "new")) }
            _ = try Registry(json: Data(try await website.send("GET", "/simulator/registry").text.utf8))
        }
    }

    @Test(
        "a file with an error is rejected with the field and the reason",
        arguments: [
            ("[]", "", "object"), ("nonsense", "", "JSON"), (#"{"team": []}"#, "team", "unknown"), (#"{"teams": {}}"#, "teams", "array"),
            (#"{"teams": [{}]}"#, "teams[0].id", "missing"), (#"{"teams": [{"id": 7}]}"#, "teams[0].id", "string"),
            (#"{"teams": [{"id": "short"}]}"#, "teams[0].id", "ten capital"),
            (#"{"teams": [{"id": "TEAM000001"}, {"id": "TEAM000001"}]}"#, "teams[1].id", "twice"),
            (#"{"teams": [{"id": "TEAM000001", "kind": "club"}]}"#, "teams[0].kind", "individual, organization"),
            (#"{"teams": [{"id": "TEAM000001", "bundle_ids": ["app"]}]}"#, "teams[0].bundle_ids", "com.example.app"),
            (#"{"teams": [{"id": "TEAM000001", "notification_url": "here"}]}"#, "teams[0].notification_url", "URL"),
            (
                #"{"teams": [{"id": "TEAM000001", "services_ids": [{"id": "a.b", "return_urls": []}]}]}"#,
                "teams[0].services_ids[0].display_name", "missing"
            ),
            (
                #"{"teams": [{"id": "TEAM000001", "services_ids": [{"id": "a.b", "display_name": "A", "return_urls": ["https://a.b/", 1]}]}]}"#,
                "teams[0].services_ids[0].return_urls[1]", "string"
            ),
            (
                #"{"teams": [{"id": "TEAM000001", "services_ids": [{"id": "a.b", "display_name": "A", "return_urls": ["http://a.b/"]}]}]}"#,
                "teams[0].services_ids[0].return_urls[0]", "https"
            ),
            (
                #"{"teams": [{"id": "TEAM000001", "keys": [{"id": "KEY0000001", "public_key": "no"}]}]}"#,
                "teams[0].keys[0].public_key", "P-256"
            ),
            (
                #"{"teams": [{"id": "TEAM000001", "services_ids": [{"id": "a.b", "display_name": "A"}, {"id": "a.b", "display_name": "A"}]}]}"#,
                "teams[0].services_ids[1].id", "twice"
            ),
            (#"{"people": [{"name": "A", "email": "nowhere"}]}"#, "people[0].email", "email address"),
            (#"{"people": [{"name": "A"}, {"name": "a"}]}"#, "people[1]", "twice"),
        ])
    func wrongShape(_ json: String, path: String, reason: String) throws {
        let error = #expect(throws: RegistryError.self) { try Registry(json: Data(json.utf8)) }
        #expect(error?.path == path)
        #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
    }

    @Test(
        "a Return URL that Apple rejects is rejected",
        arguments: [
            "http://example.com/", "https://localhost/", "http://localhost:8080/", "http://127.0.0.1/", "https://127.0.0.1/",
            "https://192.168.1.1/", "https://[::1]/", "https://example/", "https://example.com/#a", "example://callback", "/callback", "",
        ])
    func strictReturnURL(_ url: String) async throws {
        try await withSimulator(AppleSimulator.Configuration(allowsLoopbackRedirects: false)) { website in
            let answer = try await website.send(
                "PUT", "/simulator/services-ids/a.b", json: #"{"team": "TEAM000001", "display_name": "A", "return_urls": ["\#(url)"]}"#)
            #expect(answer.status == 400)
            #expect(answer["field"] as? String == "return_urls[0]")
        }
    }

    @Test("loopback Return URLs are accepted if they are permitted", arguments: ["http://localhost:8080/cb", "http://127.0.0.1:8080/cb"])
    func loopback(_ url: String) async throws {
        try await withSimulator { website in
            expectSuccess(
                try await website.send(
                    "PUT", "/simulator/services-ids/a.b", json: #"{"team": "TEAM000001", "display_name": "A", "return_urls": ["\#(url)"]}"#)
            )
            #expect(try await website.authorize(["client_id": "a.b", "redirect_uri": url]).status == 200)
        }
    }

    @Test("an individual lists ten Return URLs, an organization a hundred", arguments: [("individual", 10), ("organization", 100)])
    func returnURLLimit(_ kind: String, limit: Int) async throws {
        try await withSimulator { website in
            expectSuccess(try await website.send("PUT", "/simulator/teams/TEAM000003", json: #"{"kind": "\#(kind)"}"#))
            for (count, status) in [(limit, 200), (limit + 1, 400)] {
                let urls = (0..<count).map { #""https://example.com/\#($0)""# }.joined(separator: ",")
                let answer = try await website.send(
                    "PUT", "/simulator/services-ids/a.b", json: #"{"team": "TEAM000003", "display_name": "A", "return_urls": [\#(urls)]}"#)
                #expect(answer.status == status)
            }
        }
    }

    @Test("a team has two keys; a revoked key makes room")
    func keyLimit() async throws {
        try await withSimulator { website in
            let body = #"{"team": "TEAM000001"}"#
            let second = try await website.send("POST", "/simulator/keys", json: body)
            #expect(second.status == 201)
            #expect(try await website.send("POST", "/simulator/keys", json: body).status == 409)
            #expect(try await website.send("DELETE", "/simulator/keys/\(try #require(second["id"] as? String))").status == 204)
            #expect(try await website.send("POST", "/simulator/keys", json: body).status == 201)
            #expect(try await website.send("DELETE", "/simulator/keys/NOSUCHKEY0").status == 404)
        }
    }

    @Test("with a registered public key, the developer has the private half; a created key is returned once as PKCS #8")
    func keys() async throws {
        try await withSimulator { website in
            #expect(website.key.pemRepresentation.hasPrefix("-----BEGIN PRIVATE KEY-----"))
            #expect(try await !website.send("GET", "/simulator/registry").text.contains("PRIVATE"))
            let body = #"{"team": "TEAM000001", "id": "OWNKEY0001", "public_key": \#(Self.quoted(Self.publicKey))}"#
            let answer = try await website.send("POST", "/simulator/keys", json: body)
            #expect(answer.status == 201)
            #expect(answer["id"] as? String == "OWNKEY0001")
            #expect(answer["private_key"] == nil)
        }
    }

    @Test("an identifier belongs to one team, and to a website or an app")
    func taken() async throws {
        try await withSimulator { website in
            expectSuccess(try await website.send("PUT", "/simulator/teams/TEAM000002", json: "{}"))
            let body = #"{"team": "TEAM000002", "display_name": "A", "return_urls": []}"#
            #expect(try await website.send("PUT", "/simulator/services-ids/\(Website.clientID)", json: body).status == 409)
            #expect(try await website.send("PUT", "/simulator/services-ids/\(Website.bundleID)", json: body).status == 409)
            let app = #"{"bundle_ids": ["com.example.app"]}"#
            #expect(try await website.send("PUT", "/simulator/teams/TEAM000002", json: app).status == 409)
        }
    }

    @Test("an unknown team or field is rejected by name")
    func unknown() async throws {
        try await withSimulator { website in
            let team = try await website.send("POST", "/simulator/keys", json: #"{"team": "TEAM000009"}"#)
            #expect(team["field"] as? String == "team")
            let field = try await website.send("PUT", "/simulator/teams/TEAM000001", json: #"{"bundleids": []}"#)
            #expect(field.status == 400)
            #expect(field.error == "bundleids is unknown.")
        }
    }
}
