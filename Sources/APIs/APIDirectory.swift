package import Access
package import Foundation
package import Postgres

/// The APIs of each tenant, cached in memory. Only a request that names an API reads them, so other logins do not pay for them.
package final class APIDirectory: Sendable {
    private let cache: ConfigurationCache<ID<Tenant>, [API]>

    package init(pool: DatabasePool) {
        cache = ConfigurationCache { tenant in
            // It only reads.
            let (apis, permissions) = try await OwnerDatabase(pool, tenant: tenant).repeatable
                .run(API.all(of: tenant), API.Permission.all(of: tenant))
            return .init(try API.all(apis, permissions: permissions), owner: tenant.uuid)
        }
    }

    /// The APIs of a tenant, in the order of their creation.
    package func apis(of tenant: ID<Tenant>) async throws -> [API] {
        try await cache[tenant] ?? []
    }

    package func forget(_ owner: UUID) {
        cache.forget(owner)
    }

    package func forgetAll(isFresh: Bool) {
        cache.forgetAll(isFresh: isFresh)
    }
}
