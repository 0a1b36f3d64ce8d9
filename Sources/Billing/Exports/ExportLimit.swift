import Access
import Foundation
import HTTPTypes
import Synchronization
import Web

/// Limits the exports in progress. They share connections and threads, and each needs memory. Exports must not slow down logins.
final class ExportLimit: Sendable {
    /// The limit per owner and process.
    private static let mostOfOne = 2
    /// The limit of all tenants together. The platform's own exports are not included, so the operator can always export.
    private static let mostOfTenants = 6
    private let running = Mutex<[UUID: Int]>([:])

    /// A place among the exports in progress. It is free again when this value is released.
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

    /// Takes a place for an export.
    /// - Parameter owner: the tenant's ID, or the platform's ID.
    /// - Throws: `Problem`: 429 if no place is free.
    func place(of owner: UUID) throws -> Place {
        let refusal: String? = running.withLock { running in
            guard running[owner, default: 0] < Self.mostOfOne else {
                return "At most \(Self.mostOfOne) exports can run at a time. Wait until one of them ends."
            }
            let others = running.reduce(0) { $0 + ($1.key == .platform ? 0 : $1.value) }
            guard owner == .platform || others < Self.mostOfTenants else {
                return "Too many exports are in progress. Retry after the seconds in `Retry-After`."
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
