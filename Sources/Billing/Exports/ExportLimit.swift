import Access
import Foundation
import HTTPTypes
import Synchronization
import Web

/// How many exports are under way: each keeps a connection and a processor busy, and nobody's may hold up the logins.
final class ExportLimit: Sendable {
    /// Of one owner, in a process.
    private static let mostOfOne = 2
    /// Of all tenants together. The platform's own come on top of them: whatever the tenants do, who bills them can export.
    private static let mostOfTenants = 6
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

    /// - Parameter owner: a tenant's id, or the platform's.
    /// - Throws: `Problem`: 429 when there is none left.
    func place(of owner: UUID) throws -> Place {
        let refusal: String? = running.withLock { running in
            guard running[owner, default: 0] < Self.mostOfOne else {
                return "\(Self.mostOfOne) exports at a time are made for one owner. Wait for one of them to end."
            }
            let others = running.reduce(0) { $0 + ($1.key == .platform ? 0 : $1.value) }
            guard owner == .platform || others < Self.mostOfTenants else {
                return "As many exports are being made as there is room for. Try again a little later."
            }
            running[owner, default: 0] += 1
            return nil
        }
        guard let refusal else { return Place(self, owner: owner) }
        var problem = Problem(.rateLimited, refusal)
        problem.headers[.retryAfter] = "10"
        throw problem
    }
}
