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

    @Test("attempts at the same time get different numbers, and an old wrong password no longer counts")
    func attempts() async throws {
        try await TestPlatform.run { platform in
            let (person, now) = (try await platform.addPerson("Ada"), Date())
            let database = OwnerDatabase(platform.pool, owner: .platform)
            for kind in [Person.Attempt.password, .code, .recovery] {
                let numbers = try await withThrowingTaskGroup(of: Int.self) { tasks in
                    for _ in 0..<5 {
                        tasks.addTask {
                            try await database.run(Person.reserveAttempt(kind, of: person, at: now))[0].get("attempts")
                        }
                    }
                    return try await tasks.reduce(into: [Int]()) { $0.append($1) }
                }
                #expect(numbers.sorted() == [1, 2, 3, 4, 5])
                _ = try await database.run(Person.resetFailures(kind, of: person))
                func attempt(_ seconds: TimeInterval) async throws -> Int {
                    let time = now.addingTimeInterval(seconds)
                    return try await database.run(Person.reserveAttempt(kind, of: person, at: time))[0].get("attempts")
                }
                let later = [try await attempt(0), try await attempt(899), try await attempt(1800)]
                #expect(later == [1, 2, kind == .password ? 1 : 3])
                _ = try await database.run(Person.resetFailures(kind, of: person))
            }
        }
    }

    @Test("after 5 failures, a password waits 1 s, then twice as long each time, and codes wait 15 minutes, then 30; a refusal counts not")
    func waits() async throws {
        try await TestPlatform.run { platform in
            let (person, now) = (try await platform.addPerson("Ada"), Date())
            let database = OwnerDatabase(platform.pool, owner: .platform)
            func isPermitted(_ kind: Person.Attempt, _ seconds: TimeInterval) async throws -> Bool {
                let time = now.addingTimeInterval(seconds)
                return try await !database.run(Person.reserveAttempt(kind, of: person, at: time)).isEmpty
            }
            for kind in [Person.Attempt.password, .code, .recovery] {
                for _ in 0..<5 { #expect(try await isPermitted(kind, 0)) }
                #expect(try await !isPermitted(kind, 0.9))
            }
            let passwords = [
                try await isPermitted(.password, 1), try await isPermitted(.password, 2.9), try await isPermitted(.password, 3),
                try await isPermitted(.password, 6.9), try await isPermitted(.password, 7),
            ]
            #expect(passwords == [true, false, true, false, true])
            #expect(try await !isPermitted(.code, 899))
            for _ in 0..<5 { #expect(try await isPermitted(.code, 900)) }
            #expect(try await !isPermitted(.code, 2699))
            #expect(try await isPermitted(.code, 2700))
            // Even after a year, the next block waits twice as long.
            for _ in 0..<4 { #expect(try await isPermitted(.code, 31_536_000)) }
            #expect(try await !isPermitted(.code, 31_536_000 + 3599))
            #expect(try await isPermitted(.code, 31_536_000 + 3600))
            _ = try await platform.ownerPool.run("UPDATE person SET code_failures = 500, code_failed_at = \(now)")
            #expect(try await !isPermitted(.code, 86_399))
            #expect(try await isPermitted(.code, 86_400))
            // Each kind has a count of its own.
            #expect(try await !isPermitted(.recovery, 899))
            #expect(try await isPermitted(.recovery, 900))
        }
    }

    @Test("the wait is never longer than 15 minutes, or 24 hours for codes, and the server calculates it as the database does")
    func longestWait() {
        let now = Date()
        let waits = [0, 4, 5, 6, 14, 15, 16, 1_000_000].map { Person.Attempt.password.wait(after: $0, lastAt: now, at: now) }
        #expect(waits == [0, 0, 1, 2, 512, 900, 900, 900])
        let codes = [0, 4, 5, 6, 10, 15, 20, 35, 40, 1_000_000].map { Person.Attempt.code.wait(after: $0, lastAt: now, at: now) }
        #expect(codes == [0, 0, 900, 0, 1800, 3600, 7200, 57_600, 86_400, 86_400])
        #expect(Person.Attempt.code.wait(after: 5, lastAt: now, at: now.addingTimeInterval(900)) == 0)
    }
}
