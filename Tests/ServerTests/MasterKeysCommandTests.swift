import Foundation
import Postgres
import Sealing
import TestSupport
import Testing

/// `espalier master-keys` as a process. A whole rotation beside servers is `MasterKeyRotatedTests`.
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

    @Test("status lists what is sealed under each key, in words and as JSON, and fails where a needed key is missing")
    func status() async throws {
        let platform = try await ServedPlatform.make()
        let text = try await run(["status"], platform)
        #expect(text.code == 0, "\(text.errors)")
        #expect(text.output.contains("newest: seals everything new"))
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
        #expect(foreign.output.contains("missing from ESPALIER_MASTER_KEYS: put it behind the others"))
        #expect(!foreign.output.contains(next))
    }

    @Test("reseal refuses before servers have the new key in front, shortly after they had another, and for another role")
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
        #expect(early.errors.contains("No server has had the key"), "\(early.errors)")

        let serverRole = try await run(["reseal"], platform, url: platform.serverURL)
        #expect(serverRole.code == 1)
        #expect(serverRole.errors.contains("does not own the schema"), "\(serverRole.errors)")

        let place = ServedPlatform.Place()
        let server = try await platform.serve(at: place, settings: ["ESPALIER_MASTER_KEYS": "\(new),\(old)"])
        server.signal(SIGTERM)
        #expect(try await server.exit().code == 0)
        _ = try await owner.run("UPDATE master_key SET sealing_at = now()")
        let soon = try await run(["reseal"], platform, keys: [new, old])
        #expect(soon.code == 1)
        #expect(soon.errors.contains("in front at"), "\(soon.errors)")
        #expect(try await sealed() == before)

        // With one key there is nothing to do.
        _ = try await owner.run("UPDATE master_key SET sealing_at = sealing_at - interval '1 hour'")
        let alone = try await run(["reseal"], platform)
        #expect(alone.code == 0, "\(alone.errors)")
        #expect(alone.output.contains(/apple_key\.sealed_pem +0 moved\n/))
    }

    @Test("reseal names what it cannot open, moves the rest, and lets no key go that something may need")
    func unreadable() async throws {
        let platform = try await ServedPlatform.make()
        let (old, new) = (platform.environment["ESPALIER_MASTER_KEYS"]!, MasterKey.generate().base64.reveal())
        let owner = try TestDatabase.pool(platform.ownerURL)
        let server = try await platform.serve(at: .init(), settings: ["ESPALIER_MASTER_KEYS": "\(new),\(old)"])
        server.signal(SIGTERM)
        _ = try await server.exit()
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
        #expect(exit.errors.contains("apple_key.sealed_pem: 1 values name the key"), "\(exit.errors)")
        #expect(exit.errors.contains("is still needed"))
    }
}
