@testable import Access
import Foundation
import Postgres
import Sealing
@testable import Server
@testable import Tenancy
import TestSupport
import Testing

/// The keyring of an installation, and the state after an upgrade from a version without digest keys.
@Suite("Installed keys")
struct InstalledKeysTests {
    private let master = MasterKey.generate()
    private let owner: DatabasePool
    private let pool: DatabasePool
    private let now = Date()

    private var database: PlatformDatabase { PlatformDatabase(pool) }

    init() async throws {
        let database = try await TestDatabase.make()
        (owner, pool) = (try TestDatabase.pool(database.ownerURL), try TestDatabase.pool(database.serverURL))
    }

    /// A keyring that calculates the digests of the previous version.
    private func previous(_ masters: [MasterKey]) throws -> Keyring {
        let keyring = try Keyring(masters)
        return try keyring.with(keyring.digestKeysOfMasterKeys + [.generate(start: .distantFuture)], at: now)
    }

    /// Issues a key in the form of the previous version, without a bound digest.
    private func issueAsBefore(_ name: String, with keyring: Keyring) async throws -> String {
        var random = SystemRandomNumberGenerator()
        let secret = APIKey.makeSecret(live: false, using: &random)
        _ = try await owner.run([
            APIKey.insert(ID(at: now), owner: .platform, name: name, secret: secret, scopes: [], keyring: keyring, at: now),
            "UPDATE api_key SET bound_digest = NULL WHERE name = \(name)",
        ])
        return secret.reveal()
    }

    private func finds(_ secret: String, with keyring: Keyring, at time: Date) async throws -> Bool {
        try await Callers(database: PlatformDatabase(pool), keyring: keyring).find(secret: secret, at: time) != nil
    }

    private func unbound() async throws -> Int {
        try await owner.run("SELECT count(*) AS n FROM api_key WHERE bound_digest IS NULL")[0].get("n")
    }

    @Test("a new installation has one random key, whichever of several processes starts first, and imports nothing")
    func racing() async throws {
        let ids = try await withThrowingTaskGroup(of: KeyID.self) { tasks in
            for _ in 0..<6 {
                tasks.addTask { try await InstalledKeys.open(try Keyring([master]), in: database, at: now).currentDigestKeyID }
            }
            return try await tasks.reduce(into: Set<KeyID>()) { $0.insert($1) }
        }
        #expect(ids.count == 1)
        #expect(try await owner.run("SELECT FROM digest_key").count == 1)
        #expect(try await InstalledKeys.open(try Keyring([master]), in: database, at: now).acceptsUnboundDigests(at: now) == false)
    }

    @Test("an upgrade loses no digest: both versions verify for a day, every row is bound, and old master keys are unnecessary")
    func upgraded() async throws {
        let older = MasterKey.generate()
        let first = try await issueAsBefore("First", with: try previous([older]))
        let second = try await issueAsBefore("Second", with: try previous([master, older]))
        #expect(try await unbound() == 2)

        let opened = try await InstalledKeys.open(try Keyring([master, older]), in: database, at: now)
        #expect(try await unbound() == 0)
        for secret in [first, second] { #expect(try await finds(secret, with: opened, at: now)) }
        // The previous version verifies a secret that this version issues.
        let secret = Array("secret".utf8)
        #expect(try previous([master, older]).digest(secret, purpose: "x") == opened.digest(secret, purpose: "x"))
        let id = opened.currentDigestKeyID
        #expect(
            try previous([master, older]).mac(secret, purpose: "x", keyID: id) == opened.mac(secret, purpose: "x", keyID: id))

        // A server of the previous version is still running.
        let late = try await issueAsBefore("Late", with: try previous([master, older]))
        let nextDay = now + InstalledKeys.upgradeTime + 1
        #expect(try await finds(late, with: opened, at: now))
        #expect(try await !finds(late, with: opened, at: nextDay))
        try await UnboundDigests.bind(with: opened, in: database)

        let started = try await InstalledKeys.open(try Keyring([master, older]), in: database, at: nextDay)
        #expect(started.currentDigestKeyID != id)
        for secret in [first, second, late] { #expect(try await finds(secret, with: started, at: nextDay)) }
    }

    @Test("after the deletion of the digest keys, a start creates a random one, uses it at once, and invalidates older secrets")
    func deleted() async throws {
        let secret = try await issueAsBefore("Key", with: try previous([master]))
        let opened = try await InstalledKeys.open(try Keyring([master]), in: database, at: now)
        #expect(try await finds(secret, with: opened, at: now))
        #expect(try await owner.run("SELECT FROM digest_key").count == 2)
        // Like after the loss of the master key.
        _ = try await owner.run(["DELETE FROM digest_key", "DELETE FROM master_key"])
        let other = try await InstalledKeys.open(try Keyring([.generate()]), in: database, at: now)
        #expect(other.acceptsUnboundDigests(at: now) == false)
        _ = try await owner.run(["DELETE FROM digest_key", "DELETE FROM master_key"])
        _ = try await owner.run(KnownMasterKey.note(try Keyring([master])))

        let restarted = try await InstalledKeys.open(try Keyring([master]), in: database, at: now)
        #expect(try await owner.run("SELECT FROM digest_key").count == 1)
        #expect(restarted.currentDigestKeyID != opened.currentDigestKeyID)
        #expect(restarted.acceptsUnboundDigests(at: now) == false)
        #expect(try await !finds(secret, with: restarted, at: now))
    }

    @Test("with only client secrets of this version, a start creates a random digest key and imports none")
    func deletedWithoutAPIKeys() async throws {
        let opened = try await InstalledKeys.open(try Keyring([master]), in: database, at: now)
        let tenant = ID<Tenant>(at: now)
        let application = Application(ID(at: now), kind: .web, name: "Web", redirectURIs: ["https://app.test/"], at: now)
        _ = try await owner.run([
            Tenant.insert(tenant, slug: "acme", name: "Acme", plan: .free, at: now), application.insert(tenant: tenant),
            ApplicationSecret.insert(
                ID(at: now), tenant: tenant, application: application.id, secret: Secret("x"), keyring: opened, at: now),
            "DELETE FROM digest_key", "DELETE FROM master_key",
        ])
        #expect(try await owner.run("SELECT FROM api_key").isEmpty)
        let restarted = try await InstalledKeys.open(try Keyring([master]), in: database, at: now)
        #expect(try await owner.run("SELECT FROM digest_key").count == 1)
        #expect(restarted.acceptsUnboundDigests(at: now) == false)
    }

    @Test("records have the database's time, even of a process with a slow clock")
    func clocks() async throws {
        _ = try await InstalledKeys.open(try Keyring([master]), in: database, at: now - 240)
        let (known, time) = try await KnownMasterKey.all(in: database)
        let noted = try #require(known.first?.sealingAt)
        #expect(noted > now - 5 && noted <= time)
    }

    @Test("more rows than a batch are bound, including those of applications")
    func batches() async throws {
        let keyring = try previous([master])
        _ = try await issueAsBefore("First", with: keyring)
        _ = try await owner.run(
            """
            INSERT INTO api_key (tenant_id, id, name, digest, last_four, scopes, created_at)
            SELECT \(UUID.platform), gen_random_uuid(), 'Many', sha256(n::text::bytea), '0000', '{}', \(now)
            FROM generate_series(1, 2500) AS n
            """)
        let tenant = ID<Tenant>(at: now)
        let application = Application(ID(at: now), kind: .web, name: "Web", redirectURIs: ["https://app.test/"], at: now)
        _ = try await owner.run([
            Tenant.insert(tenant, slug: "acme", name: "Acme", plan: .free, at: now), application.insert(tenant: tenant),
            ApplicationSecret.insert(
                ID(at: now), tenant: tenant, application: application.id, secret: Secret("x"), keyring: keyring, at: now),
            "UPDATE application_secret SET bound_digest = NULL",
        ])
        let opened = try await InstalledKeys.open(try Keyring([master]), in: database, at: now)
        #expect(try await unbound() == 0)
        let row = try #require(try await owner.run("SELECT id, digest, bound_digest FROM application_secret").first)
        let context = ApplicationSecret.context(try row.get("id"), of: application.id, tenant: tenant)
        #expect(opened.bind(try row.get("digest"), to: context) == (try row.get("bound_digest", as: [UInt8].self)))
    }

    @Test("nobody adds a digest key later, and the server's role can neither write the table nor change a bound digest")
    func grants() async throws {
        _ = try await InstalledKeys.open(try Keyring([master]), in: database, at: now)
        let added = try await database.run("SELECT add_digest_keys('{\"\\\\x01020304\"}', '{\"\\\\x00\"}', now()) AS is_mine")
        #expect(try added[0].get("is_mine", as: Bool.self) == false)
        _ = try await issueAsBefore("Key", with: try InstalledKeysTests.random(now))
        let row = try #require(try await owner.run("SELECT id FROM api_key").first)
        let id: UUID = try row.get("id")
        for _ in 0..<2 {
            _ = try await database.run("SELECT bind_api_keys(\([UUID.platform]), \([id]), \([[UInt8](repeating: 1, count: 32)]))")
        }
        _ = try await database.run("SELECT bind_api_keys(\([UUID.platform]), \([id]), \([[UInt8](repeating: 2, count: 32)]))")
        let bound: [UInt8] = try await owner.run("SELECT bound_digest FROM api_key")[0].get("bound_digest")
        #expect(bound == [UInt8](repeating: 1, count: 32))
        for statement in [
            "INSERT INTO digest_key SELECT tenant_id, '\\x01020304', sealed_key, created_at FROM digest_key",
            "UPDATE digest_key SET created_at = now()", "DELETE FROM digest_key", "UPDATE master_key SET cleared_at = now()",
            "UPDATE master_key SET sealing_at = now()",
            "DELETE FROM master_key",
        ] {
            await #expect("\(statement) should be refused") {
                _ = try await database.run(SQL(unsafe: statement))
            } throws: { ($0 as? DatabaseError)?.sqlState == "42501" }
        }
    }

    private static func random(_ now: Date) throws -> Keyring {
        try Keyring([.generate()]).with([.generate(start: now)], at: now)
    }

    @Test("a missing key that is needed is named, and one that is cleared or has sealed nothing can be missing")
    func missing() async throws {
        let (next, old) = (MasterKey.generate(), try Keyring([master]).masterKeyIDs[0])
        _ = try await InstalledKeys.open(try Keyring([master]), in: database, at: now)
        await #expect {
            _ = try await InstalledKeys.open(try Keyring([next]), in: database, at: now)
        } throws: { "\($0)".contains("ESPALIER_MASTER_KEYS lacks a key that is still needed: \(old)") }
        // Added at the end, and removed again.
        _ = try await InstalledKeys.open(try Keyring([master, next]), in: database, at: now)
        _ = try await InstalledKeys.open(try Keyring([master]), in: database, at: now)

        // The first key seals until then.
        let rotated = now + 3600
        _ = try await InstalledKeys.open(try Keyring([next, master]), in: database, at: rotated)
        func state(at time: Date) async throws -> KnownMasterKey.State? {
            try await KnownMasterKey.all(in: database).keys.first { $0.id == old }?.state(at: time)
        }
        #expect(try await state(at: rotated) == .needed)
        // A walk that started too early proves nothing.
        let noted = try #require(try await KnownMasterKey.all(in: database).keys.first { $0.id == old }?.sealingAt)
        _ = try await owner.run(KnownMasterKey.clear([old], since: noted + 60))
        #expect(try await state(at: rotated) == .needed)
        _ = try await owner.run(KnownMasterKey.clear([old], since: noted + KnownMasterKey.silence + 1))
        #expect(try await state(at: rotated) == .droppable)
        guard case .expiring = try await state(at: noted + KnownMasterKey.tokenTime - 1) else { throw CancellationError() }
        // A value is sealed under the old key again, by mistake.
        _ = try await owner.run(
            "UPDATE master_key SET sealing_at = sealing_at - interval '1 hour', cleared_at = cleared_at - interval '1 hour'")
        _ = try await InstalledKeys.open(try Keyring([master, next]), in: database, at: rotated)
        #expect(try await state(at: rotated) == .needed)
        // The digest key was not moved, so it is still sealed under the first key.
        _ = try await owner.run("UPDATE master_key SET cleared_at = now() + interval '1 day'")
        await #expect {
            _ = try await InstalledKeys.open(try Keyring([next]), in: database, at: rotated)
        } throws: { "\($0)".contains("the digest keys are sealed under it") }
    }
}
