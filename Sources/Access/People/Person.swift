package import Foundation

/// The account of a person who acts for the platform or for tenants. Its memberships decide on the permissions.
///
/// It belongs to the platform, because one person may be a member of several tenants. So no tenant can read or change it. The target
/// `People` has its row.
package struct Person: Identified, Sendable {
    package static let idPrefix = "person"

    package let id: ID<Person>
    package let name: String
    /// The name for a sign-in. No two accounts have the same, regardless of the case of `A` to `Z`.
    package let email: String
    /// When the person last proved to read the mailbox. Nil for an address that was only entered.
    package let emailProvedAt: Date?
    package let passwordChangedAt: Date?
    /// Sessions from before this time have ended.
    package let sessionsValidAfter: Date?
    package let createdAt: Date
    package let updatedAt: Date

    package init(
        id: ID<Person>, name: String, email: String, emailProvedAt: Date?, passwordChangedAt: Date?, sessionsValidAfter: Date?,
        createdAt: Date, updatedAt: Date
    ) {
        (self.id, self.name, self.email, self.emailProvedAt) = (id, name, email, emailProvedAt)
        (self.passwordChangedAt, self.sessionsValidAfter) = (passwordChangedAt, sessionsValidAfter)
        (self.createdAt, self.updatedAt) = (createdAt, updatedAt)
    }
}
