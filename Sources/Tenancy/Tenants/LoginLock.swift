package import Access
package import Postgres

/// A lock that blocks a tenant's logins for a short time.
///
/// Every transaction that starts a session takes it as shared. A transaction that ends a tenant's sessions or closes its month takes it
/// exclusively, and then sees all logins that started before. A row lock would make all logins wait for one another.
package enum LoginLock {
    /// The expression that takes it, for `OwnerDatabase.locking`. The first number is "sess" in ASCII, which separates it from other advisory
    /// locks.
    package static func shared(of tenant: ID<Tenant>) -> SQL {
        "pg_advisory_xact_lock_shared(1936028531, hashtext(\(tenant)::text))"
    }

    /// Waits for all logins in progress, and blocks new ones until the transaction ends. The transaction must be short.
    package static func exclusive(of tenant: ID<Tenant>) -> SQL {
        "SELECT pg_advisory_xact_lock(1936028531, hashtext(\(tenant)::text))"
    }
}
