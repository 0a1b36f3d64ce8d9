import Foundation
import Postgres
import Sealing
import TestSupport
import Testing

/// `espalier master-keys` as a process. `MasterKeyRotatedTests` runs a whole rotation with running servers.
@Suite("Master keys, as commands")
struct MasterKeysCommandTests {
    private func run(
        _ arguments: [String], _ platform: ServedPlatform, keys: [String]? = nil, url: String? = nil
    ) async throws -> Program.Exit {
        try await Program.run(
            ["master-keys"] + arguments,
            environment: [
                "ESPALIER_MIGRATION_DATABASE_URL": url ?? platform.ownerURL,
                "ESPALIER_MASTER_KEYS": keys?.joined(separator: ",") ?? platform.environment["ESPALIER_MASTER_KEYS"]!,
            ])
    }

    private func id(of key: String) throws -> String { try Keyring([MasterKey(base64: key)]).masterKeyIDs[0].description }

    /// Starts a server with these keys, and stops it.
    private func serve(_ platform: ServedPlatform, keys: [String]) async throws -> String {
        let server = try await platform.serve(at: .init(), settings: ["ESPALIER_MASTER_KEYS": keys.joined(separator: ",")])
        server.signal(SIGTERM)
        let exit = try await server.exit()
        #expect(exit.code == 0, "\(exit.errors)")
        return exit.errors + exit.output
    }

    @Test("status lists the data sealed under each key, as text and as JSON, and fails if a needed key is missing")
    func status() async throws {
        let platform = try await ServedPlatform.make()
        let text = try await run(["status"], platform)
        #expect(text.code == 0, "\(text.errors)")
        #expect(text.output.contains("newest: seals all new values"))
        #expect(text.output.contains(/apple_key\.sealed_pem +2\n/))
        #expect(text.output.contains(/digest_key\.sealed_key +1\n/))

        let next = MasterKey.generate().base64.reveal()
        let json = try await run(["status", "--json"], platform, keys: [platform.environment["ESPALIER_MASTER_KEYS"]!, next])
        let keys =
            try #require(
                try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])["keys"] as? [[String: Any]] ?? []
        #expect(keys.map { $0["state"] as? String } == ["sealing", "unused"])
        #expect(keys.map { $0["position"] as? Int } == [1, 2])
        #expect(
            (keys[0]["sealed"] as? [[String: Any]])?.contains { $0["table"] as? String == "apple_key" && $0["values"] as? Int == 2 } == true
        )

        let foreign = try await run(["status"], platform, keys: [next])
        #expect(foreign.code == 1)
        #expect(foreign.output.contains("missing from ESPALIER_MASTER_KEYS: add it after the others"))
        #expect(!foreign.output.contains(next))
    }

    @Test("reseal names a needed key that is missing, and not a restart that would fail")
    func missing() async throws {
        let platform = try await ServedPlatform.make()
        let (old, new, other) = (platform.environment["ESPALIER_MASTER_KEYS"]!, MasterKey.generate().base64.reveal(), MasterKey.generate())
        for keys in [[new], [new, other.base64.reveal()]] {
            let exit = try await run(["reseal"], platform, keys: keys)
            #expect(exit.code == 1)
            #expect(
                exit.complaints == [
                    "espalier: ESPALIER_MASTER_KEYS lacks a key that is still needed: \(try id(of: old)). Data is sealed under it, "
                        + "or a server had it first in the last 3 minutes. Add it after the others, separated by a comma. If you no longer have it, see \"If a key is lost\" in docs/master-keys.md."
                ])
        }
    }

    @Test("a key that was noted by mistake stops neither reseal nor a later serve")
    func noted() async throws {
        let platform = try await ServedPlatform.make()
        let (old, new) = (platform.environment["ESPALIER_MASTER_KEYS"]!, MasterKey.generate().base64.reveal())
        let owner = try TestDatabase.pool(platform.ownerURL)
        _ = try await serve(platform, keys: [new, old])
        _ = try await owner.run([
            """
            INSERT INTO master_key (tenant_id, id, sealing_at, created_at)
            VALUES ('00000000-0000-0000-0000-000000000000', '\\x01020304', now(), now())
            """
        ])
        // A server may be using it now.
        let early = try await run(["reseal"], platform, keys: [new, old])
        #expect(early.code == 1 && early.errors.contains("01020304"), "\(early.errors)")
        _ = try await owner.run("UPDATE master_key SET sealing_at = sealing_at - interval '10 minutes'")
        let resealed = try await run(["reseal"], platform, keys: [new, old])
        #expect(resealed.code == 0, "\(resealed.errors)")
        #expect(resealed.output.contains("01020304 was noted by a server, but nothing is sealed under it.\n"))
        _ = try await serve(platform, keys: [new, old])
    }

    @Test("serve names a key that was dropped too early, and the time from which it may be dropped")
    func droppedEarly() async throws {
        let platform = try await ServedPlatform.make()
        let (old, new) = (platform.environment["ESPALIER_MASTER_KEYS"]!, MasterKey.generate().base64.reveal())
        let owner = try TestDatabase.pool(platform.ownerURL)
        _ = try await serve(platform, keys: [new, old])
        _ = try await owner.run("UPDATE master_key SET sealing_at = sealing_at - interval '10 minutes'")
        let resealed = try await run(["reseal"], platform, keys: [new, old])
        #expect(resealed.code == 0, "\(resealed.errors)")
        let end = try #require(resealed.output.firstMatch(of: /([0-9a-f]{8}) may be dropped from ESPALIER_MASTER_KEYS from ([0-9TZ:-]+)\./))
        #expect(String(end.1) == (try id(of: old)))
        let warning = "ESPALIER_MASTER_KEYS lacks a master key under which login attempts may still be sealed"
        let log = try await serve(platform, keys: [new])
        let line = try #require(log.split(separator: "\n").first { $0.contains(warning) })
        #expect(line.contains("warning") && line.contains(end.1) && line.contains(end.2), "\(line)")
        #expect(try await !serve(platform, keys: [new, old]).contains(warning))
        _ = try await owner.run("UPDATE master_key SET sealing_at = sealing_at - interval '1 hour'")
        #expect(try await !serve(platform, keys: [new]).contains(warning))
    }

    @Test("reseal fails before servers have the new key first, shortly after they had another one first, and for another role")
    func refusals() async throws {
        let platform = try await ServedPlatform.make()
        let (old, new) = (platform.environment["ESPALIER_MASTER_KEYS"]!, MasterKey.generate().base64.reveal())
        let owner = try TestDatabase.pool(platform.ownerURL)
        func sealed() async throws -> [[UInt8]] {
            try await owner.run("SELECT sealed_pem FROM apple_key ORDER BY id").map { try $0.get("sealed_pem") }
        }
        let before = try await sealed()
        let early = try await run(["reseal"], platform, keys: [new, old])
        #expect(early.code == 1)
        let (oldID, newID) = (try id(of: old), try id(of: new))
        #expect(
            early.complaints == [
                "espalier: No server has had the key \(newID) first yet. First restart every server with the keys in the order "
                    + "\(oldID),\(newID). Then restart every server with the keys in the order \(newID),\(oldID), wait 3 minutes, and run this "
                    + "command."
            ])

        let serverRole = try await run(["reseal"], platform, url: platform.serverURL)
        #expect(serverRole.code == 1)
        #expect(serverRole.errors.contains("does not own the schema"), "\(serverRole.errors)")

        _ = try await serve(platform, keys: [new, old])
        _ = try await owner.run("UPDATE master_key SET sealing_at = date_trunc('second', now())")
        let noted: Date = try await owner.run("SELECT sealing_at FROM master_key")[0].get("sealing_at")
        // The same text for the order of a rotation, and for the order that undoes it.
        for (keys, ids) in [([new, old], (newID, oldID)), ([old, new], (oldID, newID))] {
            let soon = try await run(["reseal"], platform, keys: keys)
            #expect(soon.code == 1)
            #expect(
                soon.complaints == [
                    "espalier: A server had the key \(ids.1) first at \(noted.formatted(.iso8601)). This command moves all data to the first "
                        + "key in ESPALIER_MASTER_KEYS, which is \(ids.0). If every server has \(ids.0) first, run the command from "
                        + "\((noted + 181).formatted(.iso8601)). If not, restart every server with the keys in the order \(ids.0),\(ids.1) first."
                ])
        }
        #expect(try await sealed() == before)

        // It works from this time.
        _ = try await owner.run(
            "UPDATE master_key SET sealing_at = date_trunc('second', now()) - interval '181 seconds' WHERE sealing_at IS NOT NULL")
        let resealed = try await run(["reseal"], platform, keys: [new, old])
        #expect(resealed.code == 0, "\(resealed.errors)")
        #expect(resealed.output.contains(/apple_key\.sealed_pem +2 moved\n/))
        #expect(try await sealed() != before)
        // With one key there is nothing to do.
        let alone = try await run(["reseal"], platform, keys: [new])
        #expect(alone.code == 0, "\(alone.errors)")
        #expect(alone.output.contains(/apple_key\.sealed_pem +0 moved\n/))
    }

    @Test("reseal names values that it cannot open, moves the rest, and drops no key that may be needed")
    func unreadable() async throws {
        let platform = try await ServedPlatform.make()
        let (old, new) = (platform.environment["ESPALIER_MASTER_KEYS"]!, MasterKey.generate().base64.reveal())
        let owner = try TestDatabase.pool(platform.ownerURL)
        _ = try await serve(platform, keys: [new, old])
        _ = try await owner.run([
            "UPDATE master_key SET sealing_at = sealing_at - interval '1 hour'",
            // Another tenant's key in the platform's row.
            """
            UPDATE apple_key SET sealed_pem = (SELECT sealed_pem FROM apple_key
                WHERE tenant_id <> '00000000-0000-0000-0000-000000000000')
            WHERE tenant_id = '00000000-0000-0000-0000-000000000000'
            """,
        ])
        let exit = try await run(["reseal"], platform, keys: [new, old])
        #expect(exit.code == 1)
        #expect(exit.output.contains(/apple_key\.sealed_pem +1 moved\n/))
        #expect(exit.errors.contains("apple_key.sealed_pem: 1 values of the key"), "\(exit.errors)")
        #expect(exit.errors.contains("is still needed"))
    }
}
