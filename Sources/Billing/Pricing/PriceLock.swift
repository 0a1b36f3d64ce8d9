import Postgres

/// A lock that prevents changes of prices while a month is being taken.
///
/// A transaction that takes a month (`ClosingMonth.take`) holds it as shared, and the prices are read after its commit. A transaction that
/// writes a rate card holds it exclusively. So either the card exists when the month's prices are read, or its writer finds the month taken
/// and refuses. It is always the first lock, before `LoginLock`, so no login waits for a rate card.
enum PriceLock {
    /// The first number is "pric" in ASCII, which separates it from other advisory locks.
    static let shared: SQL = "SELECT pg_advisory_xact_lock_shared(1886546275, 0)"

    static let exclusive: SQL = "SELECT pg_advisory_xact_lock(1886546275, 0)"
}
