import Access
import Encoding
import Foundation
import Outbox
import Postgres
import Sealing
import Users

/// One grant of a deleted user, or of a removed identity, that Espalier must revoke at Apple. There is one per identity.
package struct AppleRevocation: Identified, Sendable {
    package static let idPrefix = "applerevocation"

    /// The kind of its outbox entries.
    package static let outboxKind = "apple_revocation"

    enum Status: String, Codable, SQLValue {
        /// Apple has not confirmed the revocation yet. Espalier tries again.
        case pending
        /// Apple has confirmed the revocation.
        case revoked
        /// The grant stays valid, because another user or tenant needs it.
        case stillNeeded = "kept"
        /// The grant no longer existed.
        case notNeeded = "not_needed"
        /// The grant may still exist, but Espalier cannot revoke it.
        case impossible
    }

    /// The reason for the status.
    enum Reason: String, Codable, SQLValue {
        // Reasons of `pending`.
        case appleUnavailable = "apple_unavailable"
        /// Apple refuses every key of the client.
        case credentialsRefused = "credentials_refused"
        /// Apple refuses the revocation for another cause.
        case refused
        /// No connection has this client, or it has no key. This is also a reason of `impossible`.
        case noCredentials = "no_credentials"

        // Reasons of `stillNeeded`, and of `pending` while no other user or tenant could revoke the grant later.
        /// Another tenant needs it. Apple stores one consent per team, for all tenants that sign users in under the team.
        case usedElsewhere = "used_elsewhere"
        /// The grant now belongs to a new user.
        case signedUpAgain = "signed_up_again"

        // Reasons of `notNeeded`. Without one, nobody has signed in with the identity.
        /// Apple reported the end of the consent or of the account.
        case consentEnded = "consent_ended"
        /// The user moved to another team with the app, and Apple no longer serves the old team.
        case transferred

        // Reasons of `impossible`.
        /// Apple issued no refresh token, as for native applications that send no code.
        case noRefreshToken = "no_refresh_token"
        /// The master key is missing.
        case tokenUnreadable = "token_unreadable"
    }

    let id: ID<AppleRevocation>
    let teamID, clientID: String
    let sealedGrant: Sealed?
    let status: Status
    let reason: Reason?

    /// Creates the revocation for an identity when it is removed, or its user is deleted. The token is sealed again, because it opens only
    /// for a row that is about to be deleted.
    init(ofIdentity row: Row, of tenant: ID<Tenant>, keyring: Keyring, at now: Date) throws {
        let id = ID<AppleRevocation>(at: now)
        let (team, subject) = (try row.get("team_id", as: String.self), try row.get("apple_sub", as: String.self))
        (self.id, teamID, clientID) = (id, team, try row.get("apple_client_id"))
        // Apple has never vouched for it here, so no consent was given here.
        guard try !row.get("is_asserted", as: Bool.self) else {
            (sealedGrant, status, reason) = (nil, .notNeeded, nil)
            return
        }
        guard try !row.get("is_ended", as: Bool.self) else {
            (sealedGrant, status, reason) = (nil, .notNeeded, .consentEnded)
            return
        }
        guard try !row.get("has_moved", as: Bool.self) else {
            (sealedGrant, status, reason) = (nil, .notNeeded, .transferred)
            return
        }
        guard let sealed = try row.get("sealed_refresh_token", as: [UInt8]?.self) else {
            (sealedGrant, status, reason) = (nil, .impossible, .noRefreshToken)
            return
        }
        // An unreadable token must not prevent the deletion.
        guard let token = try? keyring.open(Sealed(bytes: sealed), in: Identity.context(tenant, team: team, subject: subject)) else {
            (sealedGrant, status, reason) = (nil, .impossible, .tokenUnreadable)
            return
        }
        let grant = Grant(subject: subject, refreshToken: String(decoding: token, as: UTF8.self))
        (sealedGrant, status, reason) = (keyring.seal(grant.bytes, in: Self.context(tenant.uuid, id)), .pending, nil)
    }

    /// - Parameter deletion: the record of the user's deletion. Nil if only the identity is removed.
    func insert(_ deletion: ID<UserDeletion>?, of tenant: ID<Tenant>, at now: Date) -> [SQL] {
        let insert: SQL = """
            INSERT INTO apple_revocation (tenant_id, id, deletion_id, team_id, client_id, sealed_grant, status, reason, concluded_at)
            VALUES (\(tenant), \(id), \(deletion), \(teamID), \(clientID), \(sealedGrant?.bytes), \(status), \(reason),
                \(status == .pending ? nil : now))
            """
        guard status == .pending else { return [insert] }
        return [insert, Outbox.insert(Self.outboxKind, subject: id.uuid, owner: tenant.uuid, id: UUID(), at: now)]
    }

    static func context(_ owner: UUID, _ id: ID<AppleRevocation>) -> SealingContext {
        // The prefix is the one under which the first grants were sealed. Some of them may still wait for Apple.
        let row = "revocation_\(id.description.dropFirst(idPrefix.count + 1))"
        return SealingContext(tenant: owner, table: "apple_revocation", column: "sealed_grant", row: row)
    }
}

extension AppleRevocation {
    /// Apple's `sub` of the user, and the refresh token of the grant.
    struct Grant: Sendable, CustomStringConvertible, CustomReflectable {
        let subject, refreshToken: String

        /// Prints only the name of its type.
        var description: String { "Grant(…)" }
        var customMirror: Mirror { Mirror(self, children: []) }

        init(subject: String, refreshToken: String) {
            (self.subject, self.refreshToken) = (subject, refreshToken)
        }

        init(_ bytes: [UInt8]) throws {
            var reader = FieldReader(bytes)
            (subject, refreshToken) = (try reader.string(), try reader.string())
        }

        var bytes: [UInt8] {
            var writer = FieldWriter()
            writer.write(subject)
            writer.write(refreshToken)
            return writer.bytes
        }
    }

    /// A revocation that is not done yet.
    struct Pending: Sendable {
        let id: ID<AppleRevocation>
        /// Nil if only an identity was removed.
        let deletion: ID<UserDeletion>?
        let teamID, clientID: String
        let sealedGrant: Sealed
        /// The time since which Espalier has no credentials for the client.
        let waitingSince: Date?

        init(_ row: Row) throws {
            id = try row.get("id")
            deletion = try row.get("deletion_id")
            teamID = try row.get("team_id")
            clientID = try row.get("client_id")
            sealedGrant = Sealed(bytes: try row.get("sealed_grant"))
            waitingSince = try row.get("waiting_since")
        }

        static func find(_ id: ID<AppleRevocation>, owner: UUID) -> SQL {
            """
            SELECT id, deletion_id, team_id, client_id, sealed_grant, waiting_since FROM apple_revocation
            WHERE tenant_id = \(owner) AND id = \(id) AND status = \(Status.pending)
            """
        }
    }
}
