import Access
import Foundation
import People
import Postgres
import Sealing
import Server
import TestSupport
import Testing

@Suite("Person")
struct PersonTests {
    private static func constraint(_ insert: SQL, _ pool: DatabasePool) async -> String? {
        do { _ = try await pool.run(insert) } catch let error as DatabaseError { return error.constraint } catch {}
        return nil
    }

    @Test("an address signs in one account, regardless of the case of A to Z, and a similar letter is another one")
    func addresses() async throws {
        try await TestPlatform.run { platform in
            func insert(_ email: String) -> SQL { Person.insert(ID(at: Date()), name: "Kate", email: email, isProved: true, at: Date()) }
            #expect(await Self.constraint(insert("Kate@example.com"), platform.ownerPool) == nil)
            #expect(await Self.constraint(insert("kATE@EXAMPLE.com"), platform.ownerPool) == "person_email")
            // The Kelvin sign, whose lowercase letter is k.
            #expect(await Self.constraint(insert("\u{212A}ate@example.com"), platform.ownerPool) == nil)
            let found = try await platform.ownerPool.run(Person.find(email: "KATE@example.com")).map(Person.init)
            #expect(found.map(\.email) == ["Kate@example.com"] && found[0].emailProvedAt != nil)
        }
    }

    @Test("the hash of a password is sealed for its account")
    func password() async throws {
        try await TestPlatform.run { platform in
            let (ada, grace) = (try await platform.addPerson("Ada"), try await platform.addPerson("Grace"))
            let (keyring, hash) = (platform.settings.keyring, Secret("$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA"))
            let set = Person.setPassword(hash, of: ada, keyring: keyring, at: Date())
            #expect(try await OwnerDatabase(platform.pool, owner: .platform).run(set).affected == 1)
            let row = try await platform.ownerPool.run(Person.find(email: "ada@example.com"))[0]
            let sealed = Sealed(bytes: try row.get("sealed_password"))
            #expect(try keyring.open(sealed, in: Person.passwordContext(ada)) == hash.revealBytes())
            // The same password with another cost keeps the time of its change.
            let (renewed, database) = (
                Secret("$argon2id$v=19$m=65536,t=3,p=1$c2FsdA$aGFzaA"), OwnerDatabase(platform.pool, owner: .platform)
            )
            #expect(try await database.run(Person.renewHash(renewed, of: ada, keyring: keyring)).affected == 1)
            #expect(try await database.run(Person.renewHash(renewed, of: grace, keyring: keyring)).affected == 0)
            let later = try await platform.ownerPool.run(Person.find(email: "ada@example.com"))[0]
            #expect(try Person(later).passwordChangedAt == Person(row).passwordChangedAt)
            // Moved to another account, it opens for nobody.
            #expect(throws: SealingError.self) { try keyring.open(sealed, in: Person.passwordContext(grace)) }
            #expect(try await platform.count("person", where: "sealed_password::text LIKE '%6172676f6e%'") == 0)
        }
    }

    @Test("attempts at the same time get different numbers, and an old one no longer counts")
    func attempts() async throws {
        try await TestPlatform.run { platform in
            let (person, now) = (try await platform.addPerson("Ada"), Date())
            let database = OwnerDatabase(platform.pool, owner: .platform)
            for kind in [Person.Attempt.password, .code] {
                let numbers = try await withThrowingTaskGroup(of: Int.self) { tasks in
                    for _ in 0..<5 {
                        tasks.addTask {
                            try await database.run(Person.reserveAttempt(kind, of: person, window: 900, at: now))[0].get("attempts")
                        }
                    }
                    return try await tasks.reduce(into: [Int]()) { $0.append($1) }
                }
                #expect(numbers.sorted() == [1, 2, 3, 4, 5])
                _ = try await database.run(Person.resetFailures(kind, of: person))
                func attempt(_ seconds: TimeInterval) async throws -> Int {
                    let time = now.addingTimeInterval(seconds)
                    return try await database.run(Person.reserveAttempt(kind, of: person, window: 900, at: time))[0].get("attempts")
                }
                let later = [try await attempt(0), try await attempt(899), try await attempt(1800)]
                #expect(later == [1, 2, 1])
            }
        }
    }
}
