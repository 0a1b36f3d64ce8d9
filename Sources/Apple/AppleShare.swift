package import Foundation

/// The connection and the tenant that a call to Apple is for. `ApplePlaces` limits both.
package struct AppleShare: Hashable, Sendable {
    /// The connection's ID. The shared connection has many tenants.
    package let connection: UUID
    /// The tenant's ID, or the platform's.
    package let tenant: UUID

    package init(connection: UUID, tenant: UUID) {
        (self.connection, self.tenant) = (connection, tenant)
    }
}

/// How busy the places for calls to Apple are.
package struct AppleLoad: Equatable, Sendable {
    /// Calls in progress.
    package let calls: Int
    /// Calls that wait for a place now.
    package let waiting: Int
    /// Calls that had to wait for a place, since the start.
    package let waited: Int
}
