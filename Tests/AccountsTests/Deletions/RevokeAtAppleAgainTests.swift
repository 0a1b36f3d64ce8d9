import Access
@testable import Accounts
import Foundation
import Outbox
import Postgres
import Sealing
import Server
import Tenancy
import TestSupport
import Testing

/// At-least-once work may run twice.
@Suite("Revoke at Apple again")
struct RevokeAtAppleAgainTests {
    @Test("if a process dies before or after the call to Apple, another one revokes when the lease is over")
    func killed() async throws {
        try await withRestingOutbox { platform in
            let login = try await platform.login("Grace Hopper")
            try await platform.delete(login)
            let handler = platform.revokeAtApple()
            #expect(try await platform.runRevocations(by: { _, _ in throw CancellationError() }) == 1)
            #expect(try await platform.fate(of: login) == ["pending 0"])
            try await platform.pass(60)
            #expect(try await platform.runRevocations() == 0)
            try await platform.pass(61)
            let sealed = try await platform.ownerPool.run("SELECT sealed_grant FROM apple_revocation")
                .first { try $0.get("sealed_grant", as: [UInt8].self) }
            #expect(
                try await platform.runRevocations { entry, now in
                    _ = try await handler.handle(entry, at: now)
                    throw CancellationError()
                } == 1)
            // Apple has revoked the grant, but this was not recorded.
            _ = try await platform.ownerPool.run([
                "UPDATE apple_revocation SET status = 'pending', sealed_grant = \(sealed), concluded_at = NULL, attempts = 0",
                "UPDATE user_deletion SET finished_at = NULL",
            ])
            #expect(try await !platform.consents("Grace Hopper", to: platform.own.team))
            #expect(try await platform.fate(of: login) == ["pending 0"])
            try await platform.pass(121)
            #expect(try await platform.runRevocations() == 1)
            #expect(try await platform.fate(of: login) == ["revoked 1"])
            #expect(try await platform.count("outbox") == 0)
        }
    }

    @Test("a grant that was sealed under the earlier ID prefix is revoked by this version")
    func sealedBefore() async throws {
        try await withRestingOutbox { platform in
            let login = try await platform.login("Grace Hopper")
            try await platform.delete(login)
            let row = try #require(
                try await platform.ownerPool.run("SELECT id, sealed_grant FROM apple_revocation").first { row in
                    (try row.get("id", as: ID<AppleRevocation>.self), try row.get("sealed_grant", as: [UInt8].self))
                })
            let (id, keyring, tenant) = (row.0, platform.settings.keyring, try #require(ID<Tenant>(platform.acme.id)))
            let grant = try keyring.open(Sealed(bytes: row.1), in: AppleRevocation.context(tenant.uuid, id))
            let before = SealingContext(
                tenant: tenant.uuid, table: "apple_revocation", column: "sealed_grant", row: "revocation_\(id.description.suffix(26))")
            _ = try await platform.ownerPool.run(
                "UPDATE apple_revocation SET sealed_grant = \(keyring.seal(grant, in: before).bytes)")
            try await platform.runRevocations()
            #expect(try await platform.fate(of: login) == ["revoked 1"])
        }
    }

    @Test("two concurrent processes conclude it once")
    func twice() async throws {
        try await withRestingOutbox { platform in
            let login = try await platform.login("Grace Hopper")
            try await platform.delete(login)
            let handler = platform.revokeAtApple()
            let both: OutboxWorker.Handler = { entry, now in
                async let other = handler.handle(entry, at: now)
                let outcome = try await handler.handle(entry, at: now)
                #expect(try await other == outcome)
                return outcome
            }
            #expect(try await platform.runRevocations(by: both) == 1)
            #expect(try await platform.count("outbox") == 0)
            #expect(try await platform.fate(of: login) == ["revoked 1"])
            #expect(try await platform.audited("revokeAtApple").count == 1)
        }
    }
}
