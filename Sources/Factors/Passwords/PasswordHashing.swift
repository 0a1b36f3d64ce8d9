import NIOCore
package import Sealing
import Web

/// Hashes passwords on threads of its own, a limited number at the same time and with a limited queue.
///
/// Anyone can cause a hash with a sign-in. With 8 processors, hashes take at most 4 threads of a low priority, and 76 MiB. More sign-ins
/// at the same time get `Overloaded`, and do not delay the tokens of others. Limit the sign-ins of an address and of a person before, so
/// that a few callers cannot fill the queue.
package final class PasswordHashing: Sendable {
    /// Too many passwords wait. The person can retry in a few seconds. Respond with 503 and `Retry-After`.
    package struct Overloaded: Error {}

    /// The result of a verification.
    package enum Verdict: Sendable {
        case wrong
        /// - Parameter replacement: The hash to store instead, if the stored one has another cost than new ones.
        case right(replacement: PasswordHash?)
    }

    private let threads: WorkThread
    private let cost: PasswordHash.Cost
    private let dummy: PasswordHash

    /// - Parameters:
    ///   - count: The number of hashes at the same time. Each takes the memory of the cost.
    ///   - mostWaiting: The number of waiting hashes. Each takes about 20 ms of a thread, so the last of 64 waits 1.3 s for a single one.
    package init(cost: PasswordHash.Cost = .standard, count: Int = PasswordHashing.count, mostWaiting: Int = 64) {
        self.cost = cost
        threads = WorkThread(count: count, mostWaiting: mostWaiting)
        dummy = .dummy(cost: cost)
    }

    /// Half of the processors, so that the other half serves other requests. At most 8, which take 152 MiB.
    package static let count = min(8, max(1, System.coreCount / 2))

    /// Hashes a new password.
    /// - Throws: `Overloaded`, or `PasswordHash.OutOfMemory`.
    package func hash(_ password: Password) async throws -> PasswordHash {
        let cost = cost
        return try await run { try PasswordHash(of: password.bytes, cost: cost) }
    }

    /// Verifies the password of a sign-in. It does the same work for a person without a password and for an address without a person, so
    /// the time shows no accounts. Only a hash with an earlier cost takes another time, until its person signs in again.
    /// - Parameter stored: Nil without a password or a person.
    /// - Throws: `Overloaded`, or `PasswordHash.OutOfMemory`.
    package func verify(_ password: Password, against stored: PasswordHash?) async throws -> Verdict {
        let (cost, dummy) = (cost, dummy)
        return try await run {
            let isRight = try (stored ?? dummy).matches(password.bytes)
            guard isRight, let stored else { return .wrong }
            return .right(replacement: stored.cost == cost ? nil : try PasswordHash(of: password.bytes, cost: cost))
        }
    }

    private func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        do {
            return try await threads.run(work)
        } catch is WorkThread.Full { throw Overloaded() }
    }
}
