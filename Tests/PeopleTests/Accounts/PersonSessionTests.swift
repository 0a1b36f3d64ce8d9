import Access
import Foundation
import People
import Postgres
import Sealing
import Server
import TestSupport
import Testing

@Suite("Person session")
struct PersonSessionTests {
    private struct Started {
        let id: ID<PersonSession>
        let digests: [[UInt8]]
    }

    private static func start(
        _ person: ID<Person>, as kind: PersonSession.Kind = .browser, _ platform: TestPlatform
    ) async throws -> Started {
        var random = SystemRandomNumberGenerator()
        let (secret, keyring) = (PersonSession.makeSecret(using: &random), platform.settings.keyring)
        let new = PersonSession.New(ID(at: Date()), of: person, kind, methods: ["pwd", "otp"], userAgent: "Test", address: "203.0.113.7")
        _ = try await OwnerDatabase(platform.pool, owner: .platform).run(new.insert(secret, keyring: keyring, at: Date()))
        return Started(id: new.id, digests: try #require(PersonSession.digests(of: secret.reveal(), with: keyring)))
    }

    private static func find(_ started: Started, _ platform: TestPlatform) async throws -> PersonSession? {
        try await OwnerDatabase(platform.pool, owner: .platform).run(PersonSession.find(digests: started.digests)).first(PersonSession.init)
    }

    @Test("a secret finds its session, which ends by time, without a use, and for good")
    func lifetime() async throws {
        try await TestPlatform.run { platform in
            let person = try await platform.addPerson("Ada")
            for kind in [PersonSession.Kind.browser, .terminal] {
                let started = try await Self.start(person, as: kind, platform)
                let session = try #require(try await Self.find(started, platform))
                let now = session.createdAt
                #expect(session.id == started.id && session.person == person && session.methods == ["pwd", "otp"])
                #expect(session.authenticates(started.digests, with: platform.settings.keyring, at: now))
                #expect(session.isActive(at: now.addingTimeInterval(kind.idleTime - 1)))
                #expect(!session.isActive(at: now.addingTimeInterval(kind.idleTime)))
                #expect(!session.isActive(at: now.addingTimeInterval(kind.lifetime)))
                let database = OwnerDatabase(platform.pool, owner: .platform)
                #expect(try await database.run(PersonSession.end(started.id, of: person, .signOut, at: Date())).affected == 1)
                #expect(try await database.run(PersonSession.end(started.id, of: person, .ended, at: Date())).affected == 0)
                #expect(try await Self.find(started, platform)?.isActive(at: Date()) == false)
                await #expect {
                    _ = try await database.run("UPDATE person_session SET ended_at = NULL, ended_reason = NULL WHERE id = \(started.id)")
                } throws: { ($0 as? DatabaseError)?.constraint == "credential_end_kept" }
            }
        }
    }

    @Test("a new password ends all earlier sessions, and the others end from one of them")
    func others() async throws {
        try await TestPlatform.run { platform in
            let person = try await platform.addPerson("Ada")
            let database = OwnerDatabase(platform.pool, owner: .platform)
            let (first, second) = (try await Self.start(person, platform), try await Self.start(person, platform))
            #expect(try await database.run(PersonSession.endOthers(of: person, than: second.id, .ended, at: Date())).affected == 1)
            #expect(try await Self.find(first, platform)?.isActive(at: Date()) == false)
            #expect(try await Self.find(second, platform)?.isActive(at: Date()) == true)
            let hash = Secret("$argon2id$")
            _ = try await database.run(Person.setPassword(hash, of: person, keyring: platform.settings.keyring, at: Date()))
            #expect(try await Self.find(second, platform)?.isActive(at: Date()) == false)
            #expect(try await Self.find(try await Self.start(person, platform), platform)?.isActive(at: Date()) == true)
        }
    }

    @Test("a digest that is moved to another person's session authenticates nobody, and another text has no digests")
    func moved() async throws {
        try await TestPlatform.run { platform in
            let own = try await Self.start(try await platform.addPerson("Ada"), platform)
            let other = try await Self.start(try await platform.addPerson("Grace"), platform)
            let taken = try await platform.ownerPool.run("DELETE FROM person_session WHERE id = \(own.id) RETURNING digest, bound_digest")[
                0]
            let (digest, bound) = (try taken.get("digest", as: [UInt8].self), try taken.get("bound_digest", as: [UInt8].self))
            _ = try await platform.ownerPool.run(
                "UPDATE person_session SET digest = \(digest), bound_digest = \(bound) WHERE id = \(other.id)")
            let session = try #require(try await Self.find(own, platform))
            #expect(session.id == other.id && !session.authenticates(own.digests, with: platform.settings.keyring, at: Date()))
            for text in ["", "eps_", "inv_" + String(repeating: "0", count: 43), "eps_" + String(repeating: "0", count: 44)] {
                #expect(PersonSession.digests(of: text, with: platform.settings.keyring) == nil)
            }
        }
    }
}
