package import Access
package import Ledger
package import Postgres

/// A closed month of a tenant: its usage and the cost. It never changes. Late logins are lines of the next statement.
package enum Statement: Identified {
    package static let idPrefix = "statement"

    /// Selects the month after the last closed month of a tenant, for `UsageEvent.insert`.
    package static func firstOpenMonth(of tenant: ID<Tenant>) -> SQL {
        "SELECT (max(period) + interval '1 month')::date FROM statement WHERE tenant_id = \(tenant)"
    }

    /// Selects the tenants that have closed a month, with the number and the digest of the billed events.
    @Sendable
    package static func closed(_ month: Month) -> SQL {
        "SELECT tenant_id, events, digest FROM statement WHERE period = \(month) AND state = 'closed'"
    }
}

extension ArchiveUsage {
    /// Archives months and compares each with its statements.
    package init(to folder: String, database: PlatformDatabase, attempts: Int = 30) {
        self.init(to: folder, database: database, attempts: attempts, closed: Statement.closed)
    }
}

extension RestoreUsage {
    /// Restores a month and compares it with its statements.
    package init(database: PlatformDatabase) {
        self.init(database: database, closed: Statement.closed)
    }
}
