import Crypto
import Foundation
import Postgres
import Server
import TestSupport
import Testing

/// `espalier seed` as a process: it reads a plan and prints a result, and creates everything or nothing.
@Suite("Seed")
struct SeedTests {
    private static let key = P256.Signing.PrivateKey().pemRepresentation

    /// JSON of a plan with every field.
    private static func plan(_ change: (inout [String: Any]) -> Void = { _ in }) throws -> String {
        var plan: [String: Any] = [
            "connection": ["team_id": "PLATFORM01", "services_id": "com.example.login", "key_id": "PLATFORMK1", "key": key],
            "api_keys": [["name": "Operator"]],
            "tenants": [
                [
                    "slug": "acme", "name": "Acme", "plan": "enterprise",
                    "connection": [
                        "team_id": "ACMETEAM01", "services_id": "com.acme.login", "bundle_ids": ["com.acme.app"], "key_id": "ACMEKEY001",
                        "key_file": "AuthKey.p8",
                    ],
                    "applications": [
                        [
                            "name": "Web", "kind": "web", "redirect_uris": ["https://acme.example/callback"],
                            "requires_pkce": false,
                        ],
                        [
                            "name": "App", "kind": "native", "redirect_uris": ["com.acme.app:/callback"],
                            "logout_uris": ["com.acme.app:/bye"], "bundle_ids": ["com.acme.app"], "signing_algorithm": "RS256",
                        ],
                    ],
                    "api_keys": [["name": "Billing", "scopes": ["usage:read"]]],
                ]
            ],
        ]
        change(&plan)
        return String(decoding: try JSONSerialization.data(withJSONObject: plan), as: UTF8.self)
    }

    /// Changes the plan's only tenant.
    private static func tenant(_ change: (inout [String: Any]) -> Void) throws -> String {
        try plan { plan in
            var tenants = plan["tenants"] as! [[String: Any]]
            change(&tenants[0])
            plan["tenants"] = tenants
        }
    }

    private let folder: TemporaryFolder
    private let database: TestDatabase
    /// With one master key. An installation rejects another one.
    private let settings: [String: String]

    init() async throws {
        folder = try TemporaryFolder()
        database = try await TestDatabase.make()
        settings = ServedPlatform.settings(databaseURL: database.serverURL, appleURL: "https://appleid.apple.com")
        try folder.write("AuthKey.p8", Self.key)
    }

    private func seed(_ plan: String, publicURL: String = TestPlatform.publicURL) async throws -> Program.Exit {
        let path = try folder.write("plan.json", plan)
        var environment = settings
        environment["ESPALIER_PUBLIC_URL"] = publicURL
        return try await Program.run(["seed", path], environment: environment)
    }

    private func count(_ table: String) async throws -> Int {
        let owner = try TestDatabase.pool(database.ownerURL)
        return try await owner.run(SQL(unsafe: "SELECT count(*) AS count FROM \(table)"))[0].get("count")
    }

    @Test("the created objects are printed as JSON, with secrets and Return URLs")
    func result() async throws {
        let exit = try await seed(try Self.plan())
        #expect(exit.code == 0, "\(exit.errors)")
        #expect(exit.errors == "")
        let result = try JSONDecoder().decode(SeedResult.self, from: Data(exit.output.utf8))
        #expect(result.api_keys.map(\.name) == ["Operator"])
        #expect(result.api_keys[0].secret.hasPrefix("esk_live_"))
        let acme = try #require(result.tenants.first)
        #expect(acme.slug == "acme")
        #expect(acme.id.hasPrefix("tenant_"))
        #expect(acme.issuer == "https://login.test/t/acme")
        #expect(acme.connection == "own")
        #expect(acme.return_url == "https://login.test/t/acme/auth/apple/callback")
        #expect(acme.applications.map(\.name) == ["Web", "App"])
        #expect(acme.applications[0].client_secret != nil)
        #expect(acme.applications[1].client_secret == nil)
        #expect(acme.applications[1].redirect_uris == ["com.acme.app:/callback"])
        #expect(acme.api_keys.map(\.name) == ["Billing"])

        #expect(try await count("application WHERE signing_algorithm = 'RS256' AND bundle_ids = '{com.acme.app}'") == 1)
        #expect(try await count("application WHERE logout_uris = '{com.acme.app:/bye}'") == 1)
        #expect(try await count("connection") == 2)
        #expect(try await count("apple_key") == 2)
        #expect(try await count("application") == 2)
        #expect(try await count("api_key") == 2)
    }

    @Test("an application with its own key gets no secret, and the key is stored")
    func keys() async throws {
        let jwk = try ClientKey("seeded").jwk
        let exit = try await seed(
            try Self.tenant { tenant in
                tenant["applications"] = [
                    [
                        "name": "Job", "kind": "machine", "redirect_uris": [] as [String], "token_endpoint_auth_method": "private_key_jwt",
                        "jwks": ["keys": [jwk]],
                    ] as [String: Any],
                    [
                        "name": "Web", "kind": "web", "redirect_uris": ["https://acme.example/callback"],
                        "token_endpoint_auth_method": "private_key_jwt", "jwks_uri": "https://acme.example/jwks.json",
                    ],
                ]
            })
        #expect(exit.code == 0, "\(exit.errors)")
        let result = try JSONDecoder().decode(SeedResult.self, from: Data(exit.output.utf8))
        #expect(result.tenants[0].applications.map(\.client_secret) == [nil, nil])
        #expect(try await count("application_secret") == 0)
        let stored = "application WHERE token_endpoint_auth_method = 'private_key_jwt'"
        #expect(try await count("\(stored) AND jwks #>> '{keys,0,kid}' = 'seeded' AND jwks_uri IS NULL") == 1)
        #expect(try await count("\(stored) AND jwks IS NULL AND jwks_uri = 'https://acme.example/jwks.json'") == 1)
    }

    @Test("a tenant's branding with its logo, and an application's login URL, are stored")
    func branding() async throws {
        try folder.write("acme.svg", #"<svg xmlns="http://www.w3.org/2000/svg" width="2" height="2"><path d="M0 0h1v1z"/></svg>"#)
        let exit = try await seed(
            try Self.tenant { tenant in
                tenant["branding"] = [
                    "display_name": "Acme Shop", "color": "#0A7D5C", "support_url": "mailto:help@acme.example",
                    "privacy_url": "https://acme.example/privacy", "terms_url": "https://acme.example/terms", "default_language": "de",
                    "logo_file": "acme.svg",
                ]
                var applications = tenant["applications"] as! [[String: Any]]
                applications[0]["login_url"] = "https://acme.example/login"
                applications[0]["redirect_uris"] = ["https://acme.example/callback"]
                applications[0]["frontchannel_logout_uri"] = "https://acme.example/out"
                applications[0]["frontchannel_logout_session_required"] = false
                tenant["applications"] = applications
            })
        #expect(exit.code == 0, "\(exit.errors)")
        #expect(
            try await count(
                """
                branding WHERE display_name = 'Acme Shop' AND color = '#0a7d5c' AND support_url = 'mailto:help@acme.example'
                AND privacy_url IS NOT NULL AND terms_url IS NOT NULL AND default_language = 'de'
                """) == 1)
        #expect(try await count("logo WHERE media_type = 'image/svg+xml' AND digest = sha256(data)") == 1)
        #expect(try await count("application WHERE login_url = 'https://acme.example/login'") == 1)
        let isSet = "frontchannel_logout_uri = 'https://acme.example/out' AND NOT frontchannel_logout_session_required"
        #expect(try await count("application WHERE \(isSet)") == 1)
    }

    @Test("a tenant without a connection has the shared Return URL; keys of a loopback server are test keys")
    func sharedConnection() async throws {
        let exit = try await seed(
            try Self.tenant { $0["connection"] = nil }, publicURL: "http://localhost:8080")
        let result = try JSONDecoder().decode(SeedResult.self, from: Data(exit.output.utf8))
        #expect(result.tenants[0].connection == "shared")
        #expect(result.tenants[0].return_url == "http://localhost:8080/auth/apple/callback")
        #expect(result.api_keys[0].secret.hasPrefix("esk_test_"))
    }

    @Test("a second plan adds to the first")
    func addition() async throws {
        #expect(try await seed(try Self.plan()).code == 0)
        let exit = try await seed(#"{"tenants": [{"slug": "globex", "name": "Globex", "plan": "free"}]}"#)
        #expect(exit.code == 0, "\(exit.errors)")
        #expect(try await count("tenant") == 2)
    }

    @Test("another installation's master key is rejected, and nothing is sealed under it")
    func foreignMasterKey() async throws {
        #expect(try await seed(try Self.plan()).code == 0)
        let foreign = ServedPlatform.settings(databaseURL: database.serverURL, appleURL: "https://appleid.apple.com")
        let plan = try folder.write("more.json", #"{"api_keys": [{"name": "More"}]}"#)
        try expectRefusal(try await Program.run(["seed", plan], environment: foreign), "ESPALIER_MASTER_KEYS lacks a key")
        #expect(try await count("api_key") == 2)
        #expect(try await count("master_key") == 1)
    }

    @Test("a slug in use, or a second shared connection, is rejected, and no part of the plan is created")
    func taken() async throws {
        #expect(try await seed(try Self.plan()).code == 0)
        let again = try await seed(
            #"{"tenants": [{"slug": "new", "name": "New", "plan": "free"}, {"slug": "acme", "name": "Acme", "plan": "free"}]}"#)
        try expectRefusal(again, "A tenant with one of these slugs already exists. Nothing was changed.")
        let shared = try await seed(try Self.plan { $0["tenants"] = nil })
        try expectRefusal(shared, "The shared connection already exists. Nothing was changed.")
        #expect(try await count("tenant") == 1)
        #expect(try await count("api_key") == 2)
    }

    /// A plan with one mistake, and the required text of the error.
    struct Mistake: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let says: String
        let plan: String

        init(_ name: String, says: String, _ plan: () throws -> String) rethrows {
            (testDescription, self.says, self.plan) = (name, says, try plan())
        }
    }

    private static func mistakes() throws -> [Mistake] {
        func connection(_ change: (inout [String: Any]) -> Void) throws -> String {
            try tenant { tenant in
                var connection = tenant["connection"] as! [String: Any]
                change(&connection)
                tenant["connection"] = connection
            }
        }
        func application(_ change: (inout [String: Any]) -> Void) throws -> String {
            try tenant { tenant in
                var applications = tenant["applications"] as! [[String: Any]]
                change(&applications[1])
                tenant["applications"] = applications
            }
        }
        return try [
            Mistake("no JSON", says: "the document") { "tenants: []" },
            Mistake("nothing to create", says: "The plan creates nothing") { "{}" },
            Mistake("a field that is missing", says: "tenants.0 has no \"name\"") { try tenant { $0["name"] = nil } },
            Mistake("an unknown field", says: "tenants.0.applications.1.redirect_uri: this field is unknown") {
                try application { $0["redirect_uri"] = "https://acme.example" }
            },
            Mistake("an unknown field at the top", says: "tenant: this field is unknown") { try plan { $0["tenant"] = [] as [Int] } },
            Mistake("a bad slug", says: "\"Acme\" is not a slug") { try tenant { $0["slug"] = "Acme" } },
            Mistake("an unknown plan", says: "tenants.0.plan") { try tenant { $0["plan"] = "gold" } },
            Mistake("an empty name", says: "tenant_name_check") { try tenant { $0["name"] = "" } },
            Mistake("a bad color", says: "acme.branding.color") { try tenant { $0["branding"] = ["color": "red"] } },
            Mistake("a name with an invisible character", says: "acme.branding.display_name: It must not contain invisible") {
                try tenant { $0["branding"] = ["display_name": "Acme\u{202E}"] }
            },
            Mistake("a name with a line break", says: "acme.branding.display_name") {
                try tenant { $0["branding"] = ["display_name": "Acme\nShop"] }
            },
            Mistake("a blank name", says: "acme.branding.display_name: It must not be blank") {
                try tenant { $0["branding"] = ["display_name": " "] }
            },
            Mistake("a long name", says: "acme.branding.display_name: It must have 1 to 200") {
                try tenant { $0["branding"] = ["display_name": String(repeating: "a", count: 201)] }
            },
            Mistake("an unknown language", says: "acme.branding.default_language: use en, de") {
                try tenant { $0["branding"] = ["default_language": "xx"] }
            },
            Mistake("a support address that is not a URL", says: "acme.branding.support_url") {
                try tenant { $0["branding"] = ["support_url": "help@acme.example"] }
            },
            Mistake("a logo that is not there", says: "none.png cannot be read") {
                try tenant { $0["branding"] = ["logo_file": "none.png"] }
            },
            Mistake("a logo that is a key", says: "acme.branding.logo_file: The image is not a PNG") {
                try tenant { $0["branding"] = ["logo_file": "AuthKey.p8"] }
            },
            Mistake("a login URL that is not on the web", says: "App.login_url") {
                try application { $0["login_url"] = "com.acme.app:/login" }
            },
            Mistake("its own connection without enterprise", says: "needs the plan enterprise, not scale") {
                try tenant { $0["plan"] = "scale" }
            },
            Mistake("a bad Team ID", says: "connection_team_id_check") { try connection { $0["team_id"] = "acme" } },
            Mistake("a key file that is not there", says: "Other.p8 cannot be read") { try connection { $0["key_file"] = "Other.p8" } },
            Mistake("a key that is none", says: "acme.connection") {
                try connection {
                    ($0["key_file"], $0["key"]) = (nil, "-----BEGIN PRIVATE KEY-----\nbm90aGluZw==\n-----END PRIVATE KEY-----\n")
                }
            },
            Mistake("no key", says: "set either key_file or key") { try connection { $0["key_file"] = nil } },
            Mistake("two keys", says: "set either key_file or key") { try connection { $0["key"] = key } },
            Mistake("an application without a redirect URI", says: "App.redirect_uris: It must have at least one URI") {
                try application { $0["redirect_uris"] = [] as [String] }
            },
            Mistake("a redirect URI in the clear", says: "http://acme.example/callback") {
                try application { $0["redirect_uris"] = ["http://acme.example/callback"] }
            },
            Mistake("a public application without PKCE", says: "App.requires_pkce: Only an application of kind `web`") {
                try application { $0["requires_pkce"] = false }
            },
            Mistake("a logout URI in the clear", says: "the logout URI http://acme.example/bye must use https") {
                try application { $0["logout_uris"] = ["http://acme.example/bye"] }
            },
            Mistake("a scheme of its own in a browser", says: "App.redirect_uris[0]: Only an application of kind `native`") {
                try application { ($0["kind"], $0["bundle_ids"], $0["logout_uris"]) = ("spa", nil, nil) }
            },
            Mistake("a bundle ID that is none", says: "App.bundle_ids: It must be a reverse domain name") {
                try application { $0["bundle_ids"] = ["app"] }
            },
            Mistake("an unknown signing algorithm", says: "tenants.0.applications.1.signing_algorithm") {
                try application { $0["signing_algorithm"] = "HS256" }
            },
            Mistake("a private key", says: "App.jwks.keys[0].d: This member is part of a private key") {
                try application { $0["jwks"] = ["keys": [["kty": "EC", "d": "AQAB"]]] }
            },
            Mistake("a key of an unknown type", says: "App.jwks.keys[0].kty") {
                try application { $0["jwks"] = ["keys": [["kty": "OKP"]]] }
            },
            Mistake("no key", says: "App.jwks.keys: It must have 1 to 10 keys") {
                try application { $0["jwks"] = ["keys": [] as [[String: String]]] }
            },
            Mistake("keys in the clear", says: "App.jwks_uri: It must be an https URL") {
                try application { $0["jwks_uri"] = "http://acme.example/jwks" }
            },
            Mistake("keys of a public application", says: "App.") {
                try application { $0["jwks_uri"] = "https://acme.example/jwks" }
            },
            Mistake("an unknown scope", says: "tenants.0.api_keys.0.scopes.0") {
                try tenant { $0["api_keys"] = [["name": "All", "scopes": ["everything"]]] }
            },
        ]
    }

    @Test("a mistake is named, and no part of the plan is created", arguments: try mistakes())
    func mistake(_ mistake: Mistake) async throws {
        try expectRefusal(try await seed(mistake.plan), mistake.says)
        for table in ["tenant", "connection", "apple_key", "application", "api_key"] { #expect(try await count(table) == 0) }
    }

    @Test("a missing plan file is rejected")
    func noPlan() async throws {
        let exit = try await Program.run(["seed", "/nonexistent/plan.json"], environment: settings)
        try expectRefusal(exit, "/nonexistent/plan.json cannot be read")
    }

    private func expectRefusal(_ exit: Program.Exit, _ words: String) throws {
        #expect(exit.code == 1)
        #expect(exit.output == "")
        #expect(exit.complaints.count == 1, "\(exit.errors)")
        #expect(exit.errors.contains(words), "\(exit.errors)")
        #expect(!exit.errors.contains("PRIVATE KEY"))
    }
}
