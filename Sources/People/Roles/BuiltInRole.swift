package import Access
import Postgres

/// The roles that exist without a row: those of every tenant's members, and the one of operators.
///
/// They are code and not rows, so that a new scope needs no change of the data of each tenant.
package enum BuiltInRole: String, CaseIterable, Sendable, SQLValue {
    /// Acts for the platform. Only a membership of the platform has it.
    case platformOperator = "operator"
    case owner
    /// Everything except money, so that an admin can neither become an owner nor remove one.
    case admin
    case developer
    case billing
    case viewer

    /// The roles of a tenant's members.
    package static let ofTenants = allCases.filter { $0 != .platformOperator }

    package var scopes: Set<APIKey.Scope> {
        switch self {
        case .platformOperator, .owner: Set(APIKey.Scope.allCases)
        case .admin: Set(APIKey.Scope.allCases).subtracting([.usageWrite, .pricingWrite])
        case .developer:
            [
                .tenantsRead, .applicationsRead, .applicationsWrite, .connectionsRead, .connectionsWrite, .usersRead, .sessionsRead,
                .authenticateWrite, .signingKeysRead, .signingKeysWrite, .apiKeysRead, .apiKeysWrite, .auditRead, .webhooksRead,
                .webhooksWrite, .usageRead, .notificationsRead, .notificationsWrite, .membersRead,
            ]
        case .billing: [.tenantsRead, .usageRead, .usageWrite, .pricingRead, .statementsRead]
        case .viewer:
            [
                .tenantsRead, .applicationsRead, .connectionsRead, .usersRead, .sessionsRead, .signingKeysRead, .apiKeysRead, .auditRead,
                .webhooksRead, .usageRead, .pricingRead, .statementsRead, .notificationsRead, .membersRead,
            ]
        }
    }
}
