import Access
import Foundation
import People
import Postgres
import Sealing
import Server
import TestSupport
import Testing

@Suite("Person TOTP")
struct PersonTOTPTests {
    @Test("the secret is sealed, the code of its confirmation is used, and each step works once, even for two requests at once")
    func steps() async throws {
        try await TestPlatform.run { platform in
            let (person, id, keyring) = (try await platform.addPerson("Ada"), ID<PersonTOTP>(at: Date()), platform.settings.keyring)
            let (secret, database) = (Secret("12345678901234567890"), OwnerDatabase(platform.pool, owner: .platform))
            _ = try await database.run(PersonTOTP.insert(id, of: person, secret, usedAt: 98, keyring: keyring, at: Date()))
            let stored = try #require(try await database.run(PersonTOTP.find(of: person)).first(PersonTOTP.init))
            #expect(try stored.secret(keyring) == secret && stored.confirmedAt != nil && stored.lastStep == 98)

            let used = try await withThrowingTaskGroup(of: Int.self) { tasks in
                for _ in 0..<4 { tasks.addTask { try await database.run(PersonTOTP.use(step: 100, of: id, at: Date())).affected } }
                return try await tasks.reduce(0, +)
            }
            #expect(used == 1)
            #expect(try await database.run(PersonTOTP.use(step: 99, of: id, at: Date())).affected == 0)
            #expect(try await database.run(PersonTOTP.use(step: 101, of: id, at: Date())).affected == 1)
            await #expect { _ = try await database.run("UPDATE person_totp SET last_step = 1") } throws: {
                ($0 as? DatabaseError)?.constraint == "credential_end_kept"
            }
            await #expect {
                _ = try await database.run(PersonTOTP.insert(ID(at: Date()), of: person, secret, usedAt: 1, keyring: keyring, at: Date()))
            } throws: { ($0 as? DatabaseError)?.constraint == "person_totp_one" }
        }
    }
}
