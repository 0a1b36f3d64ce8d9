package import Access
package import Foundation
package import Postgres

extension UsageEvent {
    /// Selects the logins as parts of a feed. The subject has the IDs of the login, the user and the application, with spaces between them.
    ///
    /// The ledger is the only place that has logins in the order of their times. It keeps those of deleted users.
    /// - Parameter start: the time of the first event.
    package static func logins(
        _ feed: FeedPage, _ kind: FeedPage.Kind, of tenant: ID<Tenant>, from start: Date, at now: Date
    ) -> [SQL] {
        // An event is billed in its own month, or in a later one if its month is closed.
        let months = sequence(first: Month(start)) { $0.next }.prefix { $0 <= Month(now).next }
        return
            (months.map { month in "usage_event WHERE tenant_id = \(tenant) AND billing_period = \(month) AND kind = 'login'" as SQL }
            + ["usage_arrival WHERE tenant_id = \(tenant) AND kind = 'login'"])
            .map { rows in
                feed.select(
                    kind, at: "occurred_at", bits: "right(replace(id::text, '-', ''), 16)",
                    subject: "concat_ws(' ', id, user_id, application_id)", source: "FROM \(part: rows)")
            }
    }
}
