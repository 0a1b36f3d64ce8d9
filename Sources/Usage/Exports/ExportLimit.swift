import Foundation
import HTTPTypes
import Synchronization
import Web

/// How many exports are under way: each keeps a connection and a processor busy, and nobody's may hold up the logins.
final class ExportLimit: Sendable {
    /// In a process.
    private static let most = 8
    /// Of one owner.
    private static let mostOfOne = 2
    private let running = Mutex<[UUID: Int]>([:])

    /// A place among them, for as long as it is held.
    final class Place: Sendable {
        private let limit: ExportLimit
        private let owner: UUID

        fileprivate init(_ limit: ExportLimit, owner: UUID) {
            (self.limit, self.owner) = (limit, owner)
        }

        deinit {
            limit.running.withLock { running in
                running[owner, default: 1] -= 1
                if running[owner] == 0 { running[owner] = nil }
            }
        }
    }

    /// - Throws: `Problem`: 429 when there is none left.
    func place(of owner: UUID) throws -> Place {
        let isFree = running.withLock { running in
            guard running[owner, default: 0] < Self.mostOfOne, running.values.reduce(0, +) < Self.most else { return false }
            running[owner, default: 0] += 1
            return true
        }
        guard isFree else {
            var problem = Problem(.rateLimited, "\(Self.mostOfOne) exports at a time are made for one owner. Wait for one of them to end.")
            problem.headers[.retryAfter] = "10"
            throw problem
        }
        return Place(self, owner: owner)
    }
}
