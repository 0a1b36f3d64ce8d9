import Access

/// A closed month of a tenant: what it used and what that cost. It never changes again; what comes late is a line on the next one.
package enum Statement: Identified {
    package static let idPrefix = "statement"
}
