package import Access
package import Postgres

/// The permissions of a person for an owner: a role that exists without a row, or one that the tenant defined.
///
/// Callers see its text: `admin`, or the ID of a custom role.
package enum Role: Hashable, Sendable {
    case builtIn(BuiltInRole)
    case custom(ID<CustomRole>)
}

extension Role: LosslessStringConvertible {
    package var description: String {
        switch self {
        case .builtIn(let role): role.rawValue
        case .custom(let id): id.description
        }
    }

    package init?(_ text: String) {
        if let role = BuiltInRole(rawValue: text) {
            self = .builtIn(role)
        } else if let id = ID<CustomRole>(text) {
            self = .custom(id)
        } else {
            return nil
        }
    }
}

// MARK: Columns

extension Role {
    /// The columns `role` and `role_id` of a row.
    package init(_ row: Row) throws {
        if let id = try row.get("role_id", as: ID<CustomRole>?.self) {
            self = .custom(id)
        } else {
            self = .builtIn(try row.get("role"))
        }
    }

    /// The value of the column `role`.
    var name: String {
        switch self {
        case .builtIn(let role): role.rawValue
        case .custom: CustomRole.columnValue
        }
    }

    /// The value of the column `role_id`.
    var customID: ID<CustomRole>? { if case .custom(let id) = self { id } else { nil } }
}
