import Access
import Foundation
import Logging
import Postgres
import Server
@testable import Signing
import Tenancy
import TestSupport
import Testing

@Suite("Due signing keys")
struct DueSigningKeysTests {
    private static let day = 86400.0

    private func pass(_ platform: TestPlatform, logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) -> DueSigningKeys
    {
        DueSigningKeys(database: PlatformDatabase(platform.pool), keyring: platform.settings.keyring, logger: logger)
    }

    @Test("a key signs for 90 days while the next one is published, and leaves when none of its tokens is valid")
    func schedule() async throws {
        try await TestPlatform.run { platform in
            let (browser, request, start) = (TestBrowser(platform), TestBrowser.Request(platform.acme), Date())
            let old = try await browser.tokens(request)["access_token"] as? String
            let today = try await platform.publishedKeys(of: platform.acme)
            #expect(try jwtHeader(old)["kid"] == today[0])
            let pass = pass(platform)
            try await pass.rotate(at: start + 89 * Self.day)
            #expect(try await platform.signingKeys(of: platform.acme).map(\.id.description) == today)

            let turn = Date() + 90 * Self.day
            try await pass.rotate(at: turn)
            try await eventually("tomorrow's tokens are signed by a key that was published today") {
                try jwtHeader(try await browser.tokens(request)["access_token"] as? String)["kid"] == today[1]
            }
            let keys = try await platform.signingKeys(of: platform.acme)
            #expect(keys.map(\.state) == [.current, .next, .retired])
            #expect([keys[0], keys[2]].map(\.id.description) == [today[1], today[0]])
            #expect(try await platform.publishedKeys(of: platform.acme) == keys.map(\.id.description))
            #expect(try await platform.isTaken(old))
            #expect(try await platform.audited("rotateSigningKeys").map(\.actor) == ["system"])

            // The longest lifetime that an application's access tokens can have.
            try await pass.rotate(at: turn + Self.day + 60)
            #expect(try await platform.signingKeys(of: platform.acme).count == 3)
            try await pass.rotate(at: turn + Self.day + 3601)
            #expect(try await platform.signingKeys(of: platform.acme).map(\.state) == [.current, .next])
            try await eventually("it has left the JWKS") {
                try await platform.publishedKeys(of: platform.acme) == keys.prefix(2).map(\.id.description)
            }
            #expect(try await !platform.isTaken(old))

            try await pass.rotate(at: turn + 90 * Self.day + 1)
            #expect(try await platform.signingKeys(of: platform.acme).first?.id == keys[1].id)
        }
    }

    @Test("a tenant's own number of days applies; a tenant without keys gets none, and a suspended one does not rotate")
    func tenants() async throws {
        try await TestPlatform.run { platform in
            let keys = try await platform.publishedKeys(of: platform.acme)
            _ = try await platform.ownerPool.run("UPDATE tenant SET signing_key_days = 7 WHERE slug = 'acme'")
            let pass = pass(platform)
            try await platform.suspend(platform.acme)
            try await pass.rotate(at: Date() + 7 * Self.day)
            #expect(try await platform.signingKeys(of: platform.acme).map(\.id.description) == keys)
            _ = try await platform.ownerPool.run("UPDATE tenant SET status = 'active' WHERE slug = 'acme'")
            try await pass.rotate(at: Date() + 6 * Self.day)
            #expect(try await platform.signingKeys(of: platform.acme).map(\.id.description) == keys)
            try await pass.rotate(at: Date() + 7 * Self.day)
            #expect(try await platform.signingKeys(of: platform.acme).first?.id.description == keys[1])
            #expect(try await platform.signingKeys(of: platform.globex).isEmpty)
            // The retired keys of a suspended tenant are deleted anyway.
            try await platform.suspend(platform.acme)
            try await pass.rotate(at: Date() + 9 * Self.day)
            #expect(try await platform.signingKeys(of: platform.acme).map(\.state) == [.current, .next])
        }
    }

    @Test("keys of both algorithms rotate once, for any number of concurrent processes")
    func once() async throws {
        try await TestPlatform.run { platform in
            let signing = SigningKeys(pool: platform.pool, keyring: platform.settings.keyring, now: { Date() })
            for tenant in platform.seeded.tenants {
                try await signing.prepare(.ES256, of: try #require(ID<Tenant>(tenant.id)))
                try await signing.prepare(.RS256, of: try #require(ID<Tenant>(tenant.id)))
            }
            let next = try await platform.signingKeys(of: platform.acme).filter { $0.state == .next }.map(\.id)
            let (pass, later) = (pass(platform), Date() + 91 * Self.day)
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for _ in 0..<4 { tasks.addTask { try await pass.rotate(at: later) } }
                try await tasks.waitForAll()
            }
            for tenant in platform.seeded.tenants {
                let states = try await platform.signingKeys(of: tenant).map { "\($0.state) \($0.algorithm)" }
                #expect(
                    states == [
                        "current ES256", "current RS256", "next ES256", "next RS256", "retired ES256", "retired RS256",
                    ], "\(tenant.slug)")
            }
            #expect(try await platform.signingKeys(of: platform.acme).prefix(2).map(\.id) == next)
            #expect(try await platform.audited("rotateSigningKeys").count == 4)
        }
    }

    @Test("a key of an older version gets its next key first, and rotates when that was published for long enough")
    func olderVersion() async throws {
        try await TestPlatform.run { platform in
            let tenants = 250
            _ = try await platform.ownerPool.run(
                """
                INSERT INTO tenant (id, slug, name, plan, status, created_at, updated_at)
                SELECT gen_random_uuid(), 'old-' || n, 'Old', 'free', 'active', now(), now() FROM generate_series(1, \(tenants)) AS n
                """)
            // The rows as the older version writes them.
            _ = try await platform.ownerPool.run(
                """
                INSERT INTO signing_key (tenant_id, id, algorithm, sealed_private, state, created_at)
                SELECT id, gen_random_uuid(), 'ES256', '\\x00', 'current', now() FROM tenant WHERE slug LIKE 'old-%'
                """)
            let (pass, later) = (pass(platform), Date() + 91 * Self.day)
            try await pass.rotate(at: later)
            #expect(try await platform.count("signing_key", where: "state = 'next' AND algorithm = 'ES256'") == tenants)
            #expect(try await platform.count("signing_key") == 2 * tenants)
            #expect(try await platform.audited("rotateSigningKeys").isEmpty)
            try await pass.rotate(at: later + 599)
            #expect(try await platform.count("signing_key", where: "state = 'retired'") == 0)
            try await pass.rotate(at: later + 601)
            #expect(try await platform.count("signing_key", where: "state = 'retired'") == tenants)
            #expect(try await platform.count("signing_key", where: "state = 'current' AND sealed_private <> '\\x00'") == tenants)
            // More than one batch of retired keys is deleted, too.
            try await pass.rotate(at: later + 2 * Self.day)
            #expect(try await platform.count("signing_key") == 2 * tenants)
        }
    }

    @Test("a tenant whose keys cannot rotate does not delay the others, and the log names it")
    func failure() async throws {
        try await TestPlatform.run { platform in
            for tenant in platform.seeded.tenants { _ = try await platform.publishedKeys(of: tenant) }
            let first = platform.seeded.tenants.min { ID<Tenant>($0.id)!.description < ID<Tenant>($1.id)!.description }!
            let other = platform.seeded.tenants.first { $0.slug != first.slug }!
            _ = try await platform.ownerPool.run([
                "ALTER TABLE signing_key ADD COLUMN broken boolean NOT NULL DEFAULT false",
                "UPDATE signing_key SET broken = true WHERE tenant_id = \(ID<Tenant>(first.id))",
                "ALTER TABLE signing_key ADD CHECK (NOT broken OR state <> 'retired')",
            ])
            let (log, later) = (RecordedLog(), Date() + 91 * Self.day)
            try await pass(platform, logger: log.logger).rotate(at: later)
            #expect(try await platform.signingKeys(of: first).map(\.state) == [.current, .next])
            #expect(try await platform.signingKeys(of: other).map(\.state) == [.current, .next, .retired])
            #expect(log.text.contains(first.id))
            _ = try await platform.ownerPool.run("UPDATE signing_key SET broken = false")
            try await pass(platform).rotate(at: later)
            #expect(try await platform.signingKeys(of: first).map(\.state) == [.current, .next, .retired])
        }
    }

    @Test("without a given time, the database's clock counts, so new keys do not rotate")
    func clock() async throws {
        try await TestPlatform.run { platform in
            let keys = try await platform.publishedKeys(of: platform.acme)
            try await pass(platform).rotate()
            #expect(try await platform.signingKeys(of: platform.acme).map(\.id.description) == keys)
            try await platform.ageSigningKeys(by: 91 * 86400)
            try await pass(platform).rotate()
            #expect(try await platform.signingKeys(of: platform.acme).first?.id.description == keys[1])
        }
    }
}
