import Sealing
import Testing

@testable import Factors

@Suite("Password hashing")
struct PasswordHashingTests {
    private static let cheap = PasswordHash.Cost(memory: 8, passes: 1)
    private let hashing = PasswordHashing(cost: Self.cheap, count: 2)

    private func password(_ text: String) throws -> Password { try #require(Password(typed: text)) }

    @Test("a password is right against its hash, in each spelling, and every other one is wrong")
    func verifies() async throws {
        let stored = try await hashing.hash(password("cafe\u{301} au lait"))
        for right in ["caf\u{E9} au lait", "cafe\u{301} au lait"] {
            guard case .right(nil) = try await hashing.verify(password(right), against: stored) else {
                Issue.record("wrong, or with another hash")
                continue
            }
        }
        for wrong in ["cafe au lait", "caf\u{E9} au lait ", "", stored.text.reveal()] {
            guard case .wrong = try await hashing.verify(password(wrong), against: stored) else {
                Issue.record("\(wrong) is right")
                continue
            }
        }
    }

    @Test("without a stored hash every password is wrong")
    func unknown() async throws {
        for text in ["", "password", "<secret>"] {
            guard case .wrong = try await hashing.verify(password(text), against: nil) else {
                Issue.record("\(text) is right")
                continue
            }
        }
    }

    @Test("a hash with another cost is replaced after the right password, and only then")
    func replacement() async throws {
        let old = try await PasswordHashing(cost: .init(memory: 16, passes: 2), count: 1).hash(password("tall grass"))
        guard case .right(let replacement?) = try await hashing.verify(password("tall grass"), against: old) else {
            Issue.record("no replacement")
            return
        }
        #expect(replacement.cost == Self.cheap)
        guard case .right(nil) = try await hashing.verify(password("tall grass"), against: replacement) else {
            Issue.record("the replacement has another password, or is replaced again")
            return
        }
        guard case .wrong = try await hashing.verify(password("tall gras"), against: old) else {
            Issue.record("a wrong password is right")
            return
        }
    }

    /// Without a stored hash: if a verification did no work then, none would be refused.
    @Test("a flood for an unknown person does not wait in memory, and later passwords are verified", .timeLimit(.minutes(1)))
    func flood() async throws {
        // 64 MiB and 8 passes take about 300 ms, so most of the flood arrives during the first hash.
        let hashing = PasswordHashing(cost: .init(memory: 64 * 1024, passes: 8), count: 1, mostWaiting: 1)
        let outcomes = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 1...50 {
                group.addTask {
                    do {
                        _ = try await hashing.verify(password("password"), against: nil)
                        return true
                    } catch is PasswordHashing.Overloaded { return false }
                }
            }
            return try await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        #expect(outcomes.contains(false))
        #expect(outcomes.count { $0 } >= 2)
        _ = try await hashing.verify(password("password"), against: nil)
    }

    @Test("the hashes at the same time have an upper bound, and so has their memory")
    func bound() {
        #expect((1...8).contains(PasswordHashing.count))
        #expect(PasswordHashing.count * Int(PasswordHash.Cost.standard.memory) <= 256 * 1024)
    }
}
