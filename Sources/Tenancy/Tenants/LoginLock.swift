package import Access
package import Postgres

/// What holds a tenant's logins still for a moment.
///
/// Every transaction that begins a session holds it together with all others that do: who ends a tenant's sessions, or closes its
/// month, takes it alone, and then sees what had begun before. A row that all logins lock would have them queue up.
package enum LoginLock {
    /// The first number is "sess" in ASCII, which keeps it apart from other such locks.
    package static func shared(of tenant: ID<Tenant>) -> SQL {
        "SELECT pg_advisory_xact_lock_shared(1936028531, hashtext(\(tenant)::text))"
    }

    /// Waits until no login is under way that began before, and lets none begin until the transaction ends: keep it short.
    package static func exclusive(of tenant: ID<Tenant>) -> SQL {
        "SELECT pg_advisory_xact_lock(1936028531, hashtext(\(tenant)::text))"
    }
}
