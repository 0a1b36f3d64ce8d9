package import Access
package import Apple
package import Encoding
package import Foundation
package import Postgres

/// A tenant's end user. The ID is the `sub` of Espalier's tokens.
package struct User: Identified, Sendable {
    package static let idPrefix = "user"

    package let id: ID<User>
    package let givenName: String?
    package let familyName: String?
    package let email: String?
    package let emailVerified: Bool
    package let isPrivateEmail: Bool
    /// Whether the user has stopped the forwarding by Apple's relay.
    package let isEmailDisabled: Bool

    package init(_ row: Row) throws {
        id = try row.get("id")
        givenName = try row.get("given_name")
        familyName = try row.get("family_name")
        email = try row.get("email")
        emailVerified = try row.get("email_verified")
        isPrivateEmail = try row.get("is_private_email")
        isEmailDisabled = try row.get("email_disabled")
    }

    /// The user's name and address, for a page of the user. Nil if Espalier has neither.
    package var label: String? {
        let name = [givenName, familyName].compactMap(\.self).joined(separator: " ")
        guard let email else { return name.isEmpty ? nil : name }
        return name.isEmpty ? email : "\(name) (\(email))"
    }

    package static func find(_ id: ID<User>, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, given_name, family_name, email, email_verified, is_private_email, email_disabled
        FROM tenant_user WHERE tenant_id = \(tenant) AND id = \(id)
        """
    }

    // MARK: Parts for statements of other targets

    /// Selects the users who are not deleted, with their claims and the time until which their tokens are no longer valid.
    package static let live: SQL = """
        SELECT tenant_id, id, given_name, family_name, email, email_verified, is_private_email, email_disabled, created_at,
            tokens_valid_after
        FROM tenant_user WHERE deleted_at IS NULL
        """

    /// Selects a user, and locks the row until the transaction ends, unless the user is deleted or lost all tokens since the login was
    /// admitted.
    package static func admit(_ id: ID<User>, of tenant: ID<Tenant>, since admittedAt: Date, unless condition: SQL) -> SQL {
        """
        SELECT id, given_name, family_name, email, email_verified, is_private_email, email_disabled FROM tenant_user
        WHERE tenant_id = \(tenant) AND id = \(id)
            AND \(part: isAdmitted(since: admittedAt, unless: condition))
        FOR SHARE OF tenant_user
        """
    }

    /// Saves the name of a user who has none, unless the user is deleted or lost all tokens since the login was admitted. A known name
    /// stays.
    package static func setName(
        _ name: AppleUser, of id: ID<User>, _ tenant: ID<Tenant>, since admittedAt: Date, unless condition: SQL, at now: Date
    ) -> SQL {
        """
        UPDATE tenant_user SET given_name = \(name.givenName), family_name = \(name.familyName),
            updated_at = GREATEST(\(now), updated_at + interval '1 microsecond')
        WHERE tenant_id = \(tenant) AND id = \(id) AND given_name IS NULL AND family_name IS NULL
            AND \(part: isAdmitted(since: admittedAt, unless: condition))
        """
    }

    private static func isAdmitted(since admittedAt: Date, unless condition: SQL) -> SQL {
        """
        deleted_at IS NULL AND (tokens_valid_after IS NULL OR tokens_valid_after < \(admittedAt)) AND NOT \(part: condition)
        """
    }

    /// Selects a row if the user exists, has no name and is not deleted.
    package static func nameless(_ id: ID<User>, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT FROM tenant_user
        WHERE tenant_id = \(tenant) AND id = \(id) AND deleted_at IS NULL AND given_name IS NULL AND family_name IS NULL
        """
    }

    /// Ends all tokens that a user got until a time.
    package static func endTokens(of id: ID<User>, _ tenant: ID<Tenant>, at time: Date) -> SQL {
        """
        UPDATE tenant_user SET tokens_valid_after = GREATEST(\(time), tokens_valid_after)
        WHERE tenant_id = \(tenant) AND id = \(id)
        """
    }

    /// The standard claims of the granted scopes (OpenID Connect Core, section 5.4), and whether Apple says that the address is a relay.
    package func claims(for scope: String) -> UserClaims {
        let scopes = scope.parts(at: " ")
        var claims = UserClaims()
        if scopes.has("profile") {
            (claims.given_name, claims.family_name) = (givenName, familyName)
            let parts = [givenName, familyName].compactMap(\.self)
            claims.name = parts.isEmpty ? nil : parts.joined(separator: " ")
        }
        if scopes.has("email"), let email {
            (claims.email, claims.email_verified, claims.is_private_email) = (email, emailVerified, isPrivateEmail)
            claims.email_disabled = isEmailDisabled ? true : nil
        }
        return claims
    }
}

/// The user's claims in an id_token and in the userinfo response.
package struct UserClaims: Sendable {
    package var name: String?
    var given_name, family_name: String?
    package var email: String?
    package var email_verified: Bool?
    var is_private_email: Bool?
    /// Present only if true: the user has stopped the forwarding by Apple's relay.
    var email_disabled: Bool?

    package init() {}

    /// Writes the claims into an object that has other members too.
    package func writeMembers(to json: inout JSONText) {
        json.member("name", name)
        json.member("given_name", given_name)
        json.member("family_name", family_name)
        json.member("email", email)
        json.member("email_verified", email_verified)
        json.member("is_private_email", is_private_email)
        json.member("email_disabled", email_disabled)
    }
}
