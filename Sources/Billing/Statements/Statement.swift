import Access

/// A closed month of a tenant: its usage and the cost. It never changes. Late logins are lines of the next statement.
package enum Statement: Identified {
    package static let idPrefix = "statement"
}
