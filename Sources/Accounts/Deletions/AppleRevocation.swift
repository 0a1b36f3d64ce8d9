import Access
import Encoding
import Foundation
import Outbox
import Postgres
import Sealing
import Users

/// One grant of a deleted user's that is to be revoked at Apple: what was given to one team.
package struct AppleRevocation: Identified, Sendable {
    package static let idPrefix = "applerevocation"

    /// What of the outbox is one.
    package static let outboxKind = "apple_revocation"

    enum Status: String, Codable, SQLValue {
        /// Apple has not confirmed it yet; to be tried again.
        case pending
        /// Apple has confirmed it.
        case revoked
        /// The grant stands, since it is needed.
        case kept
        /// There was no grant any more.
        case notNeeded = "not_needed"
        /// The grant may stand, and nothing can be done about it from here.
        case impossible
    }

    /// Why it is as it is.
    enum Reason: String, Codable, SQLValue {
        // Of a pending one.
        case appleUnavailable = "apple_unavailable"
        /// Apple refuses every key that there is for the client.
        case credentialsRefused = "credentials_refused"
        /// Apple refuses it in another way.
        case refused
        /// There is no connection with the client, or no key for it. Of an impossible one, too.
        case noCredentials = "no_credentials"

        // Of one that is kept; of a pending one where whoever needs the grant could not revoke it one day.
        /// By another tenant: Apple knows one consent for a team, however many sign users in under it.
        case usedElsewhere = "used_elsewhere"
        /// The grant is that of a new user by now.
        case signedUpAgain = "signed_up_again"

        // Of one that is not needed.
        /// Apple said that the consent has ended, or the account.
        case consentEnded = "consent_ended"
        /// The user has gone along to another team with the app, and Apple serves the old team no more.
        case transferred

        // Of an impossible one.
        /// Apple gave none, as to native applications that send no code.
        case noRefreshToken = "no_refresh_token"
        /// The master key is gone.
        case tokenUnreadable = "token_unreadable"
    }

    let id: ID<AppleRevocation>
    let teamID, clientID: String
    let sealedGrant: Sealed?
    let status: Status
    let reason: Reason?

    /// Of an identity, as the user is deleted. The token is sealed anew: it opened only for a row that will be gone.
    init(ofIdentity row: Row, of tenant: ID<Tenant>, keyring: Keyring, at now: Date) throws {
        let id = ID<AppleRevocation>(at: now)
        let (team, subject) = (try row.get("team_id", as: String.self), try row.get("apple_sub", as: String.self))
        (self.id, teamID, clientID) = (id, team, try row.get("apple_client_id"))
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
        // Whoever wants to be gone shall not have to stay because of it.
        guard let token = try? keyring.open(Sealed(bytes: sealed), in: Identity.context(tenant, team: team, subject: subject)) else {
            (sealedGrant, status, reason) = (nil, .impossible, .tokenUnreadable)
            return
        }
        let grant = Grant(subject: subject, refreshToken: String(decoding: token, as: UTF8.self))
        (sealedGrant, status, reason) = (keyring.seal(grant.bytes, in: Self.context(tenant.uuid, id)), .pending, nil)
    }

    func insert(_ deletion: ID<UserDeletion>, of tenant: ID<Tenant>, at now: Date) -> [SQL] {
        let insert: SQL = """
            INSERT INTO apple_revocation (tenant_id, id, deletion_id, team_id, client_id, sealed_grant, status, reason, concluded_at)
            VALUES (\(tenant), \(id), \(deletion), \(teamID), \(clientID), \(sealedGrant?.bytes), \(status), \(reason),
                \(status == .pending ? nil : now))
            """
        guard status == .pending else { return [insert] }
        return [insert, Outbox.insert(Self.outboxKind, subject: id.uuid, owner: tenant.uuid, id: UUID(), at: now)]
    }

    static func context(_ owner: UUID, _ id: ID<AppleRevocation>) -> SealingContext {
        // By the prefix of when the first were sealed, which wait for Apple still.
        let row = "revocation_\(id.description.dropFirst(idPrefix.count + 1))"
        return SealingContext(tenant: owner, table: "apple_revocation", column: "sealed_grant", row: row)
    }
}

extension AppleRevocation {
    /// Who gave it, as Apple calls them, and the token that stands for it.
    struct Grant: Sendable, CustomStringConvertible, CustomReflectable {
        let subject, refreshToken: String

        /// Prints as its type's name alone.
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

    /// One that is still to be made.
    struct Pending: Sendable {
        let id: ID<AppleRevocation>
        let deletion: ID<UserDeletion>
        let teamID, clientID: String
        let sealedGrant: Sealed
        /// Since when there has been nothing to ask Apple with.
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
