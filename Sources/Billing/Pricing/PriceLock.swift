import Postgres

/// Keeps prices as they are while a month is taken to be closed.
///
/// Whoever takes a month (`ClosingMonth.take`) holds it together with all others that do, and reads the prices when that has committed;
/// whoever writes a rate card takes it alone. So either the card is there when the month's prices are read, or its writer finds the month
/// taken and refuses. It is always the first lock, before `LoginLock`: nobody's login waits behind a rate card.
enum PriceLock {
    /// The first number is "pric" in ASCII, which keeps it apart from other such locks.
    static let shared: SQL = "SELECT pg_advisory_xact_lock_shared(1886546275, 0)"

    static let exclusive: SQL = "SELECT pg_advisory_xact_lock(1886546275, 0)"
}
