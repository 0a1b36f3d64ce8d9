import Foundation
import TestSupport
import Testing

/// Every command that connects to PostgreSQL requires a verified certificate of a server on another machine.
@Suite("TLS to the database")
struct DatabaseTLSTests {
    /// The name has no address, so a command that does connect ends with another error.
    private static let remote = "postgresql://u:swordfish@db.invalid/d"

    private static func run(_ arguments: [String], _ url: String, _ more: [String: String] = [:]) async throws -> Program.Exit {
        var environment = ServedPlatform.settings(databaseURL: url, appleURL: "https://appleid.apple.com")
        environment["ESPALIER_MIGRATION_DATABASE_URL"] = url
        return try await Program.run(arguments, environment: environment.merging(more) { $1 }, input: "{}")
    }

    private static func expectRefusal(_ exit: Program.Exit, _ setting: String) {
        #expect(exit.code == 1)
        #expect(exit.complaints.count == 1, "\(exit.errors)")
        #expect(exit.errors.contains("\(setting) has a server on another machine without sslmode=verify-full."), "\(exit.errors)")
        #expect(exit.errors.contains("sslrootcert=") && exit.errors.contains("ESPALIER_DATABASE_TLS=unverified"), "\(exit.errors)")
        #expect(!exit.errors.contains("swordfish") && !exit.errors.contains("db.invalid"))
    }

    @Test(
        "a URL without it is rejected before the command connects",
        arguments: [
            (["serve"], "ESPALIER_DATABASE_URL"), (["seed", "-"], "ESPALIER_DATABASE_URL"),
            (["usage", "close"], "ESPALIER_DATABASE_URL"), (["usage", "verify"], "ESPALIER_DATABASE_URL"),
            (["audit", "verify"], "ESPALIER_DATABASE_URL"), (["migrate"], "ESPALIER_MIGRATION_DATABASE_URL"),
            (["usage", "archive", "--to", "/tmp", "--before", "2025-01"], "ESPALIER_MIGRATION_DATABASE_URL"),
            (["usage", "restore", "/tmp/usage_event_2025_01.csv.gz"], "ESPALIER_MIGRATION_DATABASE_URL"),
            (["master-keys", "status"], "ESPALIER_MIGRATION_DATABASE_URL"), (["master-keys", "reseal"], "ESPALIER_MIGRATION_DATABASE_URL"),
        ])
    func commands(_ arguments: [String], _ setting: String) async throws {
        Self.expectRefusal(try await Self.run(arguments, Self.remote + "?sslmode=require"), setting)
    }

    @Test("the service file and libpq's variables count too, and the URL takes precedence")
    func environment() async throws {
        let folder = try TemporaryFolder()
        let services = try folder.write("services", "[remote]\nhost=db.invalid\nsslmode=require\n")
        let owner = "ESPALIER_MIGRATION_DATABASE_URL"
        Self.expectRefusal(try await Self.run(["migrate"], "service=remote", ["PGSERVICEFILE": services]), owner)
        Self.expectRefusal(
            try await Self.run(["migrate"], "postgresql:///d", ["PGSERVICEFILE": services, "PGSERVICE": "remote"]), owner)
        Self.expectRefusal(try await Self.run(["migrate"], "postgresql:///d", ["PGHOST": "db.invalid"]), owner)
        Self.expectRefusal(try await Self.run(["migrate"], "postgresql://localhost/d", ["PGHOSTADDR": "10.0.0.1"]), owner)
        Self.expectRefusal(try await Self.run(["migrate"], Self.remote + "?sslmode=prefer", ["PGSSLMODE": "verify-full"]), owner)
        let verified = try await Self.run(["migrate"], Self.remote, ["PGSSLMODE": "verify-full"])
        #expect(verified.errors.contains("no connection to PostgreSQL"), "\(verified.errors)")
    }

    @Test("ESPALIER_DATABASE_TLS=unverified permits it, and no other value does")
    func unverified() async throws {
        let permitted = try await Self.run(["migrate"], Self.remote, ["ESPALIER_DATABASE_TLS": "unverified"])
        #expect(permitted.errors.contains("no connection to PostgreSQL"), "\(permitted.errors)")
        let served = try await Self.run(["serve"], Self.remote, ["ESPALIER_DATABASE_TLS": "unverified"])
        #expect(served.errors.contains("the certificate of PostgreSQL is not verified"), "\(served.errors)")
        for value in ["off", "verify-ca", "Unverified"] {
            let exit = try await Self.run(["migrate"], Self.remote, ["ESPALIER_DATABASE_TLS": value])
            #expect(exit.complaints == ["espalier: ESPALIER_DATABASE_TLS must be verify-full or unverified. It is \(value)."])
        }
    }
}
