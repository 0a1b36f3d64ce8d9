import Access
import Foundation
import Hummingbird
import Web

/// The choice for a tenant's existing users when it moves to a connection of another team. Apple identifies every user differently there.
struct ExistingUsers: Sendable {
    enum Choice: String, CaseIterable, Encodable, Sendable {
        /// Everyone becomes a new user at the next sign-in.
        case newUsers = "new_users"
        /// For some days, a sign-in with the verified email address of one user takes over that user.
        case relink
    }

    /// Nil if the caller made no choice.
    let choice: Choice?
    private let days: Int?

    /// Reads the body of requests that move a tenant: `existing_users` and, for a relink, `relink_days`.
    /// - Throws: `Problem` for another body.
    init(_ request: Request) async throws {
        var fields = try await JSONFields(request, isOptional: true)
        choice = fields.choice("existing_users", Choice.self)
        days = fields.integer("relink_days", 1...90)
        if days != nil, choice != .relink { fields.refuse("relink_days", "It is valid only with `existing_users` set to `relink`.") }
        try fields.finish()
    }

    /// The end of the time in which users can be taken over. Nil if that is not permitted.
    /// - Parameter hasOthers: whether the tenant has users of another team than the new one.
    /// - Throws: `Problem` if a choice is missing, or if there are no users to relink.
    func relinkUntil(hasOthers: Bool, at now: Date) throws -> Date? {
        switch choice {
        case nil where hasOthers:
            throw Problem(
                .conflict,
                """
                The tenant has users of another Apple team, and Apple identifies users differently per team. Set \
                `existing_users`. With `new_users`, everyone becomes a new user at the next sign-in. With `relink`, for \
                `relink_days` (30) a first sign-in takes over the one user with the same verified email address.
                """)
        case .relink where !hasOthers:
            throw Problem(
                .conflict, "The tenant has no users of another Apple team to relink. Leave `existing_users` out.")
        case .relink:
            return now.addingTimeInterval(Double(days ?? 30) * 86400)
        case .newUsers, nil:
            return nil
        }
    }
}

/// The connection that serves a tenant, for the audit trail.
struct Serving: Encodable {
    let ownership: Connection.Ownership
    /// The tenant's own connection.
    let connection_id: ID<Connection>?
    let relink_until: Date?
    var team_id: String?
    var existing_users: ExistingUsers.Choice?
}
