package import Access
package import Apple
import Delivery
package import Encoding
package import Foundation
package import Postgres
package import Sealing
package import Tenancy

/// An identity that an existing user gets in addition.
package struct AddedIdentity: Sendable {
    package let team: String
    package let subject: String
    /// The Services ID or bundle ID that revokes the consent at Apple.
    let client: String
    /// When Apple vouched for the identity, by Apple's clock. Nil if only the tenant says that it is the user's.
    let vouchedAt: Date?
    let refreshToken: String?
    /// The name that Apple sent with the identity. It is stored if the user has none.
    let name: AppleUser?

    /// An identity that a tenant adds. Until Apple vouches for it, nothing outside of the tenant may depend on it. The user's first sign-in
    /// with it stores Apple's refresh token.
    package init(team: String, subject: String, client: String) {
        (self.team, self.subject, self.client) = (team, subject, client)
        (vouchedAt, refreshToken, name) = (nil, nil, nil)
    }

    /// An identity that its owner has proven.
    package init(_ token: IDToken, _ name: AppleUser?, refreshToken: String?, through connection: Connection) {
        (team, subject, client) = (connection.teamID, token.subject, token.audience)
        (vouchedAt, self.refreshToken) = (Identity.Vouched(token, through: connection).at, refreshToken)
        self.name = name
    }

    /// Whether only the tenant says that it is the user's.
    private var isAsserted: Bool { vouchedAt == nil }

    package enum Outcome: Sendable {
        case added(ID<Identity>)
        /// The user has it already. The consent of an identity that its owner has proven is stored.
        case known(ID<Identity>)
        /// The user has it already, and its consent has ended at Apple since its owner has proven it.
        case ended
        case ofAnother
        /// The user has as many as `Identity.limit`.
        case tooMany
        case noUser
    }

    /// Adds the identity to a user, with its audit event and its webhook event.
    /// - Parameters:
    ///   - logins: the statement of `Identity.Named.hold` for this user.
    ///   - action: the name of the audit event.
    ///   - db: a transaction that ends after this call.
    ///   - admit: checks the user, which no other transaction changes at the same time; throws to prevent the addition.
    /// - Throws: what `admit` throws.
    package func add(
        to user: ID<User>, _ tenant: ID<Tenant>, logins: SQL, keyring: Keyring, by origin: AuditEvent.Origin, action: String, at now: Date,
        in db: Transaction, admit: (UserReply) async throws -> Void
    ) async throws -> Outcome {
        // The identities are locked first, as in a sign-in.
        let (_, _, locked) = try await db.run(
            Identity.lockSet(of: user), Identity.lockAll(of: user, tenant), UserReply.lock(user, of: tenant))
        guard let known = try locked.first(UserReply.init) else { return .noUser }
        try await admit(known)
        let (holders, identities) = try await db.run(holder(of: tenant), Identity.count(of: user, tenant))
        if let outcome = try await outcome(of: holders, for: user, tenant, keyring: keyring, at: now, in: db) { return outcome }
        guard try identities.first({ try $0.get("identities", as: Int.self) }) ?? 0 < Identity.limit else { return .tooMany }
        let (_, inserted) = try await db.run(
            saveLogins(of: user, tenant, logins: logins), insert(for: user, tenant, keyring: keyring, at: now))
        guard let identity = try inserted.first({ try $0.get("id", as: ID<Identity>.self) }) else {
            // A concurrent sign-in has taken it.
            let holders = try await db.run(holder(of: tenant))
            return try await outcome(of: holders, for: user, tenant, keyring: keyring, at: now, in: db) ?? .ofAnother
        }
        let change = ChangedIdentity(of: user, identity, team: team)
        _ = try await db.run([
            User.name(user, name, of: tenant, at: now),
            try WebhookEvent.emit(.userIdentityAdded, data: change, owner: tenant.uuid, by: origin, at: now),
            try AuditEvent.insert(action, of: user.description, owner: tenant.uuid, by: origin, after: change, at: now),
        ])
        return .added(identity)
    }

    /// Nil if no user has the identity.
    private func outcome(
        of holders: Rows, for user: ID<User>, _ tenant: ID<Tenant>, keyring: Keyring, at now: Date, in db: Transaction
    ) async throws -> Outcome? {
        let holder = try holders.first { (user: try $0.get("user_id", as: ID<User>.self), id: try $0.get("id", as: ID<Identity>.self)) }
        guard let holder else { return nil }
        guard holder.user == user else { return .ofAnother }
        guard let vouchedAt else { return .known(holder.id) }
        let renewed = try await db.run(renew(for: user, tenant, vouchedAt: vouchedAt, keyring: keyring, at: now))
        guard renewed.affected == 1 else { return .ended }
        _ = try await db.run(User.name(user, name, of: tenant, at: now))
        return .known(holder.id)
    }

    /// Selects the user who has the identity, and its ID.
    private func holder(of tenant: ID<Tenant>) -> SQL {
        """
        SELECT i.user_id, \(part: Identity.id("i")) AS id FROM identity i
        WHERE i.tenant_id = \(tenant) AND i.team_id = \(team) AND i.apple_sub = \(subject)
        """
    }

    /// Saves the sign-ins of the user under the team that only sessions record. Sessions name only a team, so they no longer count for a
    /// team with several identities. This runs before `insert`.
    private func saveLogins(of user: ID<User>, _ tenant: ID<Tenant>, logins: SQL) -> SQL {
        """
        UPDATE identity i SET last_login_at = GREATEST(i.last_login_at, l.last_login_at), vouched_at = GREATEST(i.vouched_at, l.vouched_at)
        FROM (\(part: logins)) AS l
        WHERE i.tenant_id = \(tenant) AND i.user_id = \(user) AND i.team_id = \(team) AND l.team_id = i.team_id
            AND \(part: Identity.isOnlyOne("i"))
        """
    }

    /// Stores the new consent of an identity that the user has already, as a sign-in does. Otherwise Espalier could not revoke it. It
    /// changes no row if the consent has ended since then.
    private func renew(for user: ID<User>, _ tenant: ID<Tenant>, vouchedAt: Date, keyring: Keyring, at now: Date) -> SQL {
        let sealed = sealedRefreshToken(of: tenant, keyring)
        return """
            UPDATE identity AS i SET sealed_refresh_token = COALESCE(\(sealed), i.sealed_refresh_token),
                apple_client_id = COALESCE(\(sealed == nil ? nil : client), i.apple_client_id),
                last_login_at = \(now), vouched_at = GREATEST(\(vouchedAt), i.vouched_at), revoked_at = NULL, is_asserted = false
            WHERE i.tenant_id = \(tenant) AND i.team_id = \(team) AND i.apple_sub = \(subject) AND i.user_id = \(user)
                AND (i.revoked_at IS NULL OR i.revoked_at < \(vouchedAt))
            """
    }

    private func sealedRefreshToken(of tenant: ID<Tenant>, _ keyring: Keyring) -> [UInt8]? {
        refreshToken.map { keyring.seal(Array($0.utf8), in: Identity.context(tenant, team: team, subject: subject)).bytes }
    }

    /// Inserts the identity, and selects its ID. It selects no row if a concurrent sign-in has inserted it.
    private func insert(for user: ID<User>, _ tenant: ID<Tenant>, keyring: Keyring, at now: Date) -> SQL {
        let sealed = sealedRefreshToken(of: tenant, keyring)
        return """
            INSERT INTO identity AS i (tenant_id, team_id, apple_sub, user_id, sealed_refresh_token, apple_client_id, created_at,
                last_login_at, vouched_at, is_asserted)
            VALUES (\(tenant), \(team), \(subject), \(user), \(sealed), \(client), \(now), \(now), \(vouchedAt), \(isAsserted))
            ON CONFLICT DO NOTHING
            RETURNING \(part: Identity.id("i")) AS id
            """
    }
}

// MARK: Sealing

extension AddedIdentity {
    /// Writes a proven identity.
    package func write(to fields: inout FieldWriter) {
        fields.write(team)
        fields.write(subject)
        fields.write(client)
        fields.write(vouchedAt ?? Date(timeIntervalSince1970: 0))
        fields.write(refreshToken)
        fields.write(name?.givenName)
        fields.write(name?.familyName)
    }

    package init(_ fields: inout FieldReader) throws {
        (team, subject, client) = (try fields.string(), try fields.string(), try fields.string())
        (vouchedAt, refreshToken) = (try fields.date(), try fields.optionalString())
        name = AppleUser(givenName: try fields.optionalString(), familyName: try fields.optionalString())
    }
}

/// An identity that a user gets, in the audit trail and in webhook events. It does not identify the person.
private struct ChangedIdentity: Encodable {
    let user_id: ID<User>
    let identity_id: ID<Identity>
    let team_id: String

    init(of user: ID<User>, _ identity: ID<Identity>, team: String) {
        (user_id, identity_id, team_id) = (user, identity, team)
    }
}

extension Identity {
    /// Counts the identities of a user.
    fileprivate static func count(of user: ID<User>, _ tenant: ID<Tenant>) -> SQL {
        "SELECT count(*) AS identities FROM identity WHERE tenant_id = \(tenant) AND user_id = \(user)"
    }

    /// Deletes an identity, after `lockAll`.
    /// - Parameter id: its public ID.
    package static func delete(_ id: ID<Identity>, of user: ID<User>, _ tenant: ID<Tenant>) -> SQL {
        """
        DELETE FROM identity AS i WHERE i.tenant_id = \(tenant) AND i.user_id = \(user) AND \(part: self.id("i")) = \(id)
        RETURNING i.team_id
        """
    }
}

extension User {
    /// Changes a user, and stores a name if the user has none.
    fileprivate static func name(_ id: ID<User>, _ name: AppleUser?, of tenant: ID<Tenant>, at now: Date) -> SQL {
        """
        UPDATE tenant_user AS u SET
            (given_name, family_name) = (SELECT
                CASE WHEN nameless THEN \(name?.givenName) ELSE u.given_name END,
                CASE WHEN nameless THEN \(name?.familyName) ELSE u.family_name END
                FROM (SELECT u.given_name IS NULL AND u.family_name IS NULL AS nameless) AS state),
            updated_at = GREATEST(\(now), u.updated_at + interval '1 microsecond')
        WHERE u.tenant_id = \(tenant) AND u.id = \(id)
        """
    }
}
