import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("Person passkey")
struct PersonPasskeyTests {
    private static func make(_ person: ID<Person>, _ credential: [UInt8] = [1, 2, 3], count: Int64 = 0) -> PersonPasskey {
        PersonPasskey(
            ID(at: Date()), of: person, credential: credential, publicKey: [UInt8](repeating: 7, count: 77),
            aaguid: [UInt8](repeating: 0, count: 16), signCount: count, isBackupEligible: true, isBackedUp: false,
            transports: ["internal", "hybrid"], name: "Laptop", at: Date())
    }

    @Test("a credential belongs to one person, and is found only among the passkeys of this person")
    func unique() async throws {
        try await TestPlatform.run { platform in
            let (ada, grace) = (try await platform.addPerson("Ada"), try await platform.addPerson("Grace"))
            let (key, database) = (Self.make(ada), OwnerDatabase(platform.pool, owner: .platform))
            _ = try await database.run(key.insert)
            await #expect { _ = try await database.run(Self.make(grace).insert) } throws: {
                ($0 as? DatabaseError)?.constraint == "passkey_credential"
            }
            let found = try #require(try await database.run(PersonPasskey.find(credential: [1, 2, 3], of: ada)).first(PersonPasskey.init))
            #expect(found.id == key.id && found.person == ada && found.publicKey == key.publicKey && found.isBackupEligible)
            #expect(found.transports == ["internal", "hybrid"] && found.signCount == 0 && found.lastUsedAt == nil)
            #expect(try await database.run(PersonPasskey.find(credential: [1, 2, 3], of: grace)).isEmpty)
            #expect(try await database.run(PersonPasskey.delete(key.id, of: grace)).affected == 0)
            #expect(try await database.run(PersonPasskey.all(of: ada)).count == 1)
            #expect(try await database.run(PersonPasskey.delete(key.id, of: ada)).affected == 1)
        }
    }

    @Test("of two uses at the same time, one saves its counter")
    func counters() async throws {
        try await TestPlatform.run { platform in
            let person = try await platform.addPerson("Ada")
            let (key, database) = (Self.make(person, count: 5), OwnerDatabase(platform.pool, owner: .platform))
            _ = try await database.run(key.insert)
            let used = try await withThrowingTaskGroup(of: Int.self) { tasks in
                for count: Int64 in [6, 7] {
                    tasks.addTask { try await database.run(key.use(signCount: count, isBackedUp: true, at: Date())).affected }
                }
                return try await tasks.reduce(0, +)
            }
            #expect(used == 1)
            let saved = try #require(try await database.run(PersonPasskey.all(of: person)).first(PersonPasskey.init))
            #expect(saved.signCount > 5 && saved.isBackedUp && saved.lastUsedAt != nil)
        }
    }
}
