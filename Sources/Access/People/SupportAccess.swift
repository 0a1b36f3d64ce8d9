package import Foundation

/// A time in which an operator may act on the data of a tenant that needs help.
///
/// The tenant sees it with its reason, and ends it at any time. The target `People` has its row.
package struct SupportAccess: Identified, Sendable {
    package static let idPrefix = "support"

    package let id: ID<SupportAccess>
    package let person: ID<Person>
    /// The name of the operator at the start.
    package let operatorName: String
    package let reason: String
    package let startedAt: Date
    package let endsAt: Date
    /// When it ended, and the actor that ended it. Nil for one that lasts until its time is over.
    package let endedAt: Date?
    package let endedBy: String?

    package init(
        id: ID<SupportAccess>, person: ID<Person>, operatorName: String, reason: String, startedAt: Date, endsAt: Date,
        endedAt: Date? = nil, endedBy: String? = nil
    ) {
        (self.id, self.person, self.operatorName, self.reason) = (id, person, operatorName, reason)
        (self.startedAt, self.endsAt, self.endedAt, self.endedBy) = (startedAt, endsAt, endedAt, endedBy)
    }

    package func isActive(at now: Date) -> Bool {
        endedAt == nil && now < endsAt
    }

    /// The scopes of an operator at a tenant during a support access. It makes no key, no secret and no destination of data, because they
    /// would outlast the access. `addIdentity` refuses an operator for the same reason.
    package static let scopes = Set(APIKey.Scope.allCases).subtracting([
        .apiKeysWrite, .applicationsWrite, .connectionsWrite, .webhooksWrite,
    ])

    /// The scopes of an operator at a tenant without one: to manage the tenant, its price and its members, and nothing inside it.
    package static let scopesWithout: Set<APIKey.Scope> = [
        .tenantsRead, .tenantsWrite, .usageRead, .usageWrite, .pricingRead, .pricingWrite, .statementsRead, .membersRead, .membersWrite,
    ]
}
