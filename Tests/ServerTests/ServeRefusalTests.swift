import EmbeddedPostgres
import Foundation
import Postgres
import Sealing
import TestSupport
import Testing

/// `espalier serve` does not start with an invalid setting. It prints one line that names the setting, and exits with
/// 1.
@Suite("Serve, refusing to start")
struct ServeRefusalTests {
    /// One invalid setting, and the required text of the error.
    struct Wrong: Sendable, CustomTestStringConvertible {
        let name: String
        let value: String?
        let says: String

        init(_ name: String, _ value: String?, says: String) {
            (self.name, self.value, self.says) = (name, value, says)
        }

        var testDescription: String { "\(name)=\(value ?? "(unset)")" }
    }

    /// Valid settings without a database. Each invalid setting is rejected before the database is used.
    private static let sound = ServedPlatform.settings(
        databaseURL: "postgresql:///none?host=/nonexistent", appleURL: "https://appleid.apple.com"
    ).merging(["ESPALIER_PORT": "18080", "ESPALIER_OPERATIONS_PORT": "18081"], uniquingKeysWith: { $1 })

    @Test(
        "a missing, weak or contradictory setting is named",
        arguments: [
            Wrong("ESPALIER_PUBLIC_URL", nil, says: "ESPALIER_PUBLIC_URL is missing"),
            Wrong("ESPALIER_PUBLIC_URL", "http://login.example.com", says: "ESPALIER_PUBLIC_URL must be https"),
            Wrong("ESPALIER_PUBLIC_URL", "https://example.com/login", says: "ESPALIER_PUBLIC_URL must not have a path"),
            Wrong("ESPALIER_DATABASE_URL", nil, says: "ESPALIER_DATABASE_URL is missing"),
            Wrong("ESPALIER_DATABASE_URL", "mysql://nowhere", says: "database URL"),
            Wrong("ESPALIER_MASTER_KEYS", nil, says: "ESPALIER_MASTER_KEYS is missing"),
            Wrong(
                "ESPALIER_MASTER_KEYS", "",
                says: "ESPALIER_MASTER_KEYS is empty. Make a key with `espalier generate-master-key`. Store it safely."),
            Wrong("ESPALIER_MASTER_KEYS", "c2hvcnQ=,", says: "ESPALIER_MASTER_KEYS has an empty entry"),
            Wrong(
                "ESPALIER_MASTER_KEYS", "c2hvcnQ=",
                says: "5 bytes instead of 32. Make one with `espalier generate-master-key`."),
            Wrong("ESPALIER_MASTER_KEYS", "QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUE=", says: "not random"),
            Wrong("ESPALIER_OPERATIONS_PORT", "18080", says: "ESPALIER_PORT and ESPALIER_OPERATIONS_PORT must differ"),
            Wrong("ESPALIER_PORT", "eighty", says: "ESPALIER_PORT must be a whole number. It is eighty"),
            Wrong("ESPALIER_LOG_LEVEL", "loud", says: "ESPALIER_LOG_LEVEL: loud is not one of trace, debug"),
            Wrong("ESPALIER_APPLE_ISSUERS", "appleid.apple.com", says: "ESPALIER_APPLE_ISSUERS"),
            Wrong("ESPALIER_APPLE_BASE_URL", "http://apple.example.com", says: "ESPALIER_APPLE_BASE_URL must be https"),
            Wrong("ESPALIER_CONFIG_FILE", "/nonexistent/espalier.json", says: "ESPALIER_CONFIG_FILE"),
        ])
    func wrongSetting(_ wrong: Wrong) async throws {
        var environment = Self.sound
        environment[wrong.name] = wrong.value
        try expect(wrong.says, in: try await Program.run(["serve"], environment: environment))
    }

    @Test("a fraction in the file is rejected where a whole number is needed")
    func fraction() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("espalier.json", #"{"espalier": {"usage": {"grace": 1.5}}}"#)
        let environment = Self.sound.merging(["ESPALIER_CONFIG_FILE": file]) { $1 }
        try expect(
            "ESPALIER_USAGE_GRACE must be a whole number. It is 1.5.", in: try await Program.run(["serve"], environment: environment))
    }

    @Test("a role that bypasses row-level security is rejected")
    func powerfulRole() async throws {
        let platform = try await ServedPlatform.make()
        let environment = platform.environment.merging(
            ["ESPALIER_DATABASE_URL": platform.ownerURL, "ESPALIER_PORT": "0", "ESPALIER_OPERATIONS_PORT": "0"], uniquingKeysWith: { $1 })
        try expect("bypasses row-level security", in: try await Program.run(["serve"], environment: environment))
    }

    @Test("a role without the rights of espalier_server is rejected")
    func powerlessRole() async throws {
        let cluster = try await TestCluster.own()
        let platform = try await ServedPlatform.make(in: cluster)
        let administration = try TestDatabase.pool(await cluster.url(user: "postgres", database: "postgres"))
        for (role, rights) in [("stranger", ""), ("heir", "NOINHERIT IN ROLE espalier_server")] {
            _ = try await administration.run(SQL(unsafe: "CREATE ROLE \(role) LOGIN \(rights)"))
            let url = try #require(platform.environment["ESPALIER_DATABASE_URL"]).replacing("espalier_server", with: role)
            let environment = platform.environment.merging(
                ["ESPALIER_DATABASE_URL": url, "ESPALIER_PORT": "0", "ESPALIER_OPERATIONS_PORT": "0"], uniquingKeysWith: { $1 })
            try expect("Run `GRANT espalier_server TO` it as a superuser", in: try await Program.run(["serve"], environment: environment))
        }
        try await cluster.stop()
    }

    @Test("an address of another machine, and an unknown name, are rejected", arguments: ["192.0.2.1", "nowhere.invalid"])
    func foreignAddress(_ host: String) async throws {
        let platform = try await ServedPlatform.make()
        for name in ["ESPALIER_HOST", "ESPALIER_OPERATIONS_HOST"] {
            let environment = platform.environment.merging(
                [name: host, "ESPALIER_PORT": "0", "ESPALIER_OPERATIONS_PORT": "0"], uniquingKeysWith: { $1 })
            try expect("(\(host))", in: try await Program.run(["serve"], environment: environment))
        }
    }

    @Test("master keys that do not open stored values are rejected")
    func foreignMasterKey() async throws {
        let platform = try await ServedPlatform.make()
        let environment = platform.environment.merging(
            [
                "ESPALIER_MASTER_KEYS": MasterKey.generate().base64.reveal(), "ESPALIER_PORT": "0", "ESPALIER_OPERATIONS_PORT": "0",
            ], uniquingKeysWith: { $1 })
        let installed = try Keyring([try MasterKey(base64: try #require(platform.environment["ESPALIER_MASTER_KEYS"]))])
        try expect(
            "ESPALIER_MASTER_KEYS lacks the key \(installed.masterKeyIDs[0])",
            in: try await Program.run(["serve"], environment: environment))
    }

    @Test("a rejected key does not appear in the error")
    func silence() async throws {
        let weak = Data(repeating: 7, count: 32).base64EncodedString()
        let exit = try await Program.run(
            ["serve"], environment: Self.sound.merging(["ESPALIER_MASTER_KEYS": weak], uniquingKeysWith: { $1 }))
        try expect("not random", in: exit)
        #expect(!exit.errors.contains(weak))
    }

    @Test("a missing database is reported in limited time, without its password")
    func unreachableDatabase() async throws {
        let url = "postgresql://espalier_server:swordfish@127.0.0.1:\(FreePorts.take())/espalier"
        let exit = try await Program.run(
            ["serve"], environment: Self.sound.merging(["ESPALIER_DATABASE_URL": url], uniquingKeysWith: { $1 }))
        try expect("", in: exit)
        #expect(!exit.errors.contains("swordfish"))
    }

    @Test("a database that accepts the connection and never responds is reported in limited time")
    func silentDatabase() async throws {
        let listener = try SilentListener()
        let url = "postgresql://espalier_server@127.0.0.1:\(listener.port)/espalier"
        let exit = try await Program.run(
            ["serve"], environment: Self.sound.merging(["ESPALIER_DATABASE_URL": url], uniquingKeysWith: { $1 }))
        try expect("", in: exit)
    }

    @Test("an outdated schema is rejected with the missing migrations and the command")
    func schemaBehind() async throws {
        let database = try await TestDatabase.make()
        let owner = try TestDatabase.pool(database.ownerURL)
        _ = try await owner.run("DELETE FROM schema_migration WHERE version = 3")
        let exit = try await Program.run(
            ["serve"], environment: Self.sound.merging(["ESPALIER_DATABASE_URL": database.serverURL], uniquingKeysWith: { $1 }))
        try expect("0003_usage", in: exit)
        #expect(exit.errors.contains("espalier migrate"))
    }

    @Test("a port in use is reported")
    func takenPort() async throws {
        let database = try await TestDatabase.make()
        let listener = try SilentListener()
        let exit = try await Program.run(
            ["serve"],
            environment: Self.sound.merging(
                ["ESPALIER_DATABASE_URL": database.serverURL, "ESPALIER_PORT": "\(listener.port)", "ESPALIER_OPERATIONS_PORT": "0"],
                uniquingKeysWith: { $1 }))
        try expect("ESPALIER_PORT", in: exit)
    }

    private func expect(_ words: String, in exit: Program.Exit) throws {
        #expect(exit.code == 1)
        #expect(exit.output.isEmpty)
        #expect(exit.complaints.count == 1, "\(exit.errors)")
        let line = try #require(exit.complaints.first)
        #expect(line.hasPrefix("espalier: "))
        #expect(words.isEmpty || line.contains(words), "\(line)")
    }
}
