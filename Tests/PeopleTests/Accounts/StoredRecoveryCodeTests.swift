import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("Stored recovery code")
struct StoredRecoveryCodeTests {
    @Test("a code works once and for its person, and new codes replace the old ones")
    func uses() async throws {
        try await TestPlatform.run { platform in
            let (ada, grace) = (try await platform.addPerson("Ada"), try await platform.addPerson("Grace"))
            let database = OwnerDatabase(platform.pool, owner: .platform)
            let digests = (1...10).map { [UInt8](repeating: $0, count: 32) }
            _ = try await database.run(StoredRecoveryCode.replace(of: ada, digests: digests, at: Date()))
            let codes = try await database.run(StoredRecoveryCode.unused(of: ada)).map(StoredRecoveryCode.init)
            #expect(Set(codes.map(\.digest)) == Set(digests))
            #expect(try await database.run(StoredRecoveryCode.unused(of: grace)).isEmpty)
            #expect(try await database.run(codes[0].use(of: grace, at: Date())).affected == 0)
            let used = try await withThrowingTaskGroup(of: Int.self) { tasks in
                for _ in 0..<4 { tasks.addTask { try await database.run(codes[0].use(of: ada, at: Date())).affected } }
                return try await tasks.reduce(0, +)
            }
            #expect(used == 1)
            #expect(try await database.run(StoredRecoveryCode.unused(of: ada)).count == 9)
            await #expect { _ = try await database.run("UPDATE recovery_code SET used_at = NULL") } throws: {
                ($0 as? DatabaseError)?.constraint == "credential_end_kept"
            }
            _ = try await database.run(StoredRecoveryCode.replace(of: ada, digests: [[UInt8](repeating: 99, count: 32)], at: Date()))
            #expect(try await database.run(codes[1].use(of: ada, at: Date())).affected == 0)
            #expect(try await database.run(StoredRecoveryCode.unused(of: ada)).count == 1)
        }
    }
}
