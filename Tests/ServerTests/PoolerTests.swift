import Foundation
import TestSupport
import Testing

/// `espalier` behind Debian's PgBouncer.
@Suite("Poolers")
struct PoolerTests {
    @Test("the commands with a database reject transaction pooling, with the reason and the next step")
    func transaction() async throws {
        let platform = try await ServedPlatform.make()
        let bouncer = try await PgBouncer(to: platform.serverURL, mode: .transaction)
        for command in [
            ["serve"], ["migrate"], ["usage", "close"], ["usage", "verify"],
            ["usage", "archive", "--to", "/nowhere", "--before", "2020-01"], ["usage", "restore", "/nowhere/usage_event_2020_01.csv.gz"],
            ["seed", "-"], ["audit", "verify"], ["master-keys", "status"],
        ] {
            let exit = try await Program.run(
                command, environment: platform.environment.merging(Self.urls(platform, bouncer)) { $1 }, input: "{}")
            #expect(exit.code == 1, "\(command)")
            #expect(exit.complaints.count == 1, "\(exit.errors)")
            #expect(exit.errors.contains("a pooler with transaction pooling"), "\(exit.errors)")
            #expect(exit.errors.contains("pool_mode=session"), "\(exit.errors)")
        }
        try await bouncer.stop()
    }

    @Test("serve rejects a pooler that refuses its start-up settings, with the setting that permits them")
    func options() async throws {
        let platform = try await ServedPlatform.make()
        let bouncer = try await PgBouncer(to: platform.serverURL, mode: .session, settings: [])
        let exit = try await Program.run(["serve"], environment: platform.environment.merging(Self.urls(platform, bouncer)) { $1 })
        #expect(exit.code == 1)
        #expect(exit.complaints.count == 1, "\(exit.errors)")
        #expect(exit.errors.contains("ignore_startup_parameters=options"), "\(exit.errors)")
        try await bouncer.stop()
    }

    @Test("behind session pooling, migrate and serve work, and users sign in")
    func session() async throws {
        let platform = try await ServedPlatform.make()
        let bouncer = try await PgBouncer(to: platform.serverURL, mode: .session)
        let urls = Self.urls(platform, bouncer)
        let migrated = try await Program.run(["migrate"], environment: urls)
        #expect(migrated.output == "The schema is current. Nothing changed.\n", "\(migrated.errors)")
        let place = ServedPlatform.Place()
        let server = try await platform.serve(at: place, settings: urls)
        for _ in 1...3 { _ = try await place.browser.tokens(.init(platform.acme)) }
        server.signal(SIGTERM)
        #expect(try await server.exit().code == 0)
        try await bouncer.stop()
    }

    private static func urls(_ platform: ServedPlatform, _ bouncer: PgBouncer) -> [String: String] {
        [
            "ESPALIER_DATABASE_URL": bouncer.url(platform.serverURL), "ESPALIER_MIGRATION_DATABASE_URL": bouncer.url(platform.ownerURL),
        ]
    }
}
