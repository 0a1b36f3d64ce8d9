package import Foundation
package import Postgres

/// A tenant's software that signs users in. Its id is the OAuth `client_id`.
package struct Application: Identified, Sendable {
    package static let idPrefix = "app"

    /// RFC 6749, section 2.1: whether it can keep a secret.
    package enum Kind: String, Codable, SQLValue {
        case `public`, confidential
    }

    package let id: ID<Application>
    package let name: String
    package let kind: Kind
    /// Keyed digest of the secret, of confidential applications only.
    package let secretDigest: [UInt8]?
    package let redirectURIs: [String]
    /// Always true of public ones.
    package let requiresPKCE: Bool
    package let accessTokenSeconds: Int

    package init(_ row: Row) throws {
        id = try row.get("id")
        name = try row.get("name")
        kind = try row.get("kind")
        secretDigest = try row.get("secret_digest")
        redirectURIs = try row.get("redirect_uris")
        requiresPKCE = try row.get("requires_pkce")
        accessTokenSeconds = try row.get("access_token_seconds")
    }

    package static func all(ofTenantWithSlug slug: String) -> SQL {
        """
        SELECT a.id, a.name, a.kind, a.secret_digest, a.redirect_uris, a.requires_pkce, a.access_token_seconds
        FROM application a JOIN tenant t ON t.id = a.tenant_id WHERE t.slug = \(slug)
        """
    }

    package static func slugOfTenant(of id: ID<Application>) -> SQL {
        "SELECT t.slug, t.id FROM application a JOIN tenant t ON t.id = a.tenant_id WHERE a.id = \(id)"
    }

    package static func insert(
        _ id: ID<Application>, tenant: ID<Tenant>, name: String, kind: Kind, secretDigest: [UInt8]?, redirectURIs: [String],
        requiresPKCE: Bool, at now: Date
    ) -> SQL {
        """
        INSERT INTO application (tenant_id, id, name, kind, secret_digest, redirect_uris, requires_pkce, created_at, updated_at)
        VALUES (\(tenant), \(id), \(name), \(kind), \(secretDigest), \(redirectURIs), \(requiresPKCE), \(now), \(now))
        """
    }

    /// The redirect URI of a request is one that is registered: equal byte by byte, except that the
    /// port of a loopback address is the application's own choice (RFC 8252, section 7.3).
    package func mayRedirect(to uri: String) -> Bool {
        // `==` would take a Kelvin sign for a K: it compares strings as Unicode's canonical equivalents.
        redirectURIs.contains { $0.utf8.elementsEqual(uri.utf8) || RedirectURI.isSameLoopback($0, uri) }
    }
}
