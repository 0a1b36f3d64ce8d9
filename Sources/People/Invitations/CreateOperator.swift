package import Access
import Encoding
package import Foundation
import HTTPTypes
import Hummingbird
package import Mail
import Postgres
package import Sealing
import Web

extension InvitationRoutes {
    /// Invites an operator. Only this response contains the link.
    @Sendable
    func createOperator(_ request: Request, _ call: PlatformContext) async throws -> Response {
        try call.require(.membersWrite)
        try call.requireRecentSignIn(at: now())
        var fields = try await JSONFields(request)
        let address = fields.address()
        try fields.finish()
        guard let address else { throw Problem(.invalid, "`email` is required.") }
        let now = now()
        let role = BuiltInRole.platformOperator
        try call.requireGrant(role.scopes.map(\.rawValue))
        let issued = try await Invitation.issue(
            to: address, as: .builtIn(role), until: now.addingTimeInterval(Invitation.lifetimeOfOperators), action: "createOperator",
            by: call.origin, publicURL: publicURL, keyring: keyring, in: call.database(pool), at: now)
        return try .resource(
            InvitationReply(issued, at: now), updatedAt: now, status: .created)
    }
}

extension Invitation {
    /// The link for an operator of an installation, made by a command. The audit trail of the platform has it as an act of the system,
    /// because the caller of a command has no other name than access to the database.
    /// - Throws: The errors of `issue`.
    package static func issueToOperator(
        _ address: MailAddress, publicURL: String, keyring: Keyring, in database: OwnerDatabase, at now: Date
    ) async throws -> Issued {
        try await issue(
            to: address, as: .builtIn(.platformOperator), until: now.addingTimeInterval(lifetimeOfOperators), action: "createOperator",
            by: .system, publicURL: publicURL, keyring: keyring, in: database, at: now)
    }

    /// The link for the first operator of an installation for development, at each start until somebody has followed it. The earlier link
    /// is of no use any longer.
    /// - Returns: Nil if there is an operator.
    /// - Throws: The errors of `issue`.
    package static func issueToFirstOperator(
        _ address: MailAddress, publicURL: String, keyring: Keyring, in database: OwnerDatabase, at now: Date
    ) async throws -> String? {
        let rows = try await database.run(
            "SELECT FROM membership WHERE tenant_id = \(database.owner) LIMIT 1",
            Invitation.open(address: address.address.asciiLowercased, of: database.owner))
        guard rows.0.isEmpty else { return nil }
        if let earlier = try rows.1.first(Invitation.init) {
            _ = try await database.run([
                Invitation.delete(earlier.id, of: database.owner), try earlier.deletion(of: database.owner, by: .system, at: now),
            ])
        }
        return try await issueToOperator(address, publicURL: publicURL, keyring: keyring, in: database, at: now).link
    }
}
