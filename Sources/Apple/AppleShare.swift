package import Foundation

/// The connection and the tenant of a call to Apple. `ApplePlaces` limits both.
package struct AppleShare: Hashable, Sendable {
    /// The connection's ID. The shared connection has many tenants.
    package let connection: UUID
    /// The tenant's ID, or the platform's.
    package let tenant: UUID

    package init(connection: UUID, tenant: UUID) {
        (self.connection, self.tenant) = (connection, tenant)
    }
}

/// The load on the places for calls to Apple.
package struct AppleLoad: Equatable, Sendable {
    /// Calls in progress.
    package let calls: Int
    /// Calls that currently wait for a place.
    package let waiting: Int
    /// Calls that have waited for a place since the start.
    package let waited: Int
}
