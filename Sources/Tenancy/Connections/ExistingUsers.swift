import Access
import Foundation
import Hummingbird
import Web

/// What becomes of a tenant's users when it moves to a connection of another team: Apple calls everybody by another name there.
struct ExistingUsers: Sendable {
    enum Choice: String, CaseIterable, Encodable, Sendable {
        /// Who signs in becomes a new user.
        case newUsers = "new_users"
        /// For some days, who signs in with the verified e-mail address of one user becomes that user.
        case relink
    }

    /// Nil when the caller made none.
    let choice: Choice?
    private let days: Int?

    /// The body of the requests that move a tenant: `existing_users` and, for a relink, `relink_days`.
    /// - Throws: `Problem` for another body.
    init(_ request: Request) async throws {
        var fields = try await JSONFields(request, isOptional: true)
        choice = fields.choice("existing_users", Choice.self)
        days = fields.integer("relink_days", 1...90)
        if days != nil, choice != .relink { fields.refuse("relink_days", "It goes with `existing_users` set to `relink` only.") }
        try fields.finish()
    }

    /// Until when users may be taken over; nil for never.
    /// - Parameter hasOthers: whether the tenant has users of another team than the one it moves to.
    /// - Throws: `Problem` where a choice has to be made, or a relink has nobody to find.
    func relinkUntil(hasOthers: Bool, at now: Date) throws -> Date? {
        switch choice {
        case nil where hasOthers:
            throw Problem(
                .conflict,
                """
                The tenant has users of another Apple team, and Apple names each of them differently in every team. Choose with \
                `existing_users`: `new_users`, and everybody becomes a new user at the next sign-in; or `relink`, and for \
                `relink_days` (30) a first sign-in takes over the one user that has the same verified e-mail address.
                """)
        case .relink where !hasOthers:
            throw Problem(
                .conflict, "There is nobody to relink: the tenant has no users of another Apple team. Leave `existing_users` out.")
        case .relink:
            return now.addingTimeInterval(Double(days ?? 30) * 86400)
        case .newUsers, nil:
            return nil
        }
    }
}

/// Which connection serves a tenant, for the audit trail.
struct Serving: Encodable {
    let ownership: Connection.Ownership
    /// The tenant's own.
    let connection_id: ID<Connection>?
    let relink_until: Date?
    var team_id: String?
    var existing_users: ExistingUsers.Choice?
}
