package import Access
import Encoding
package import Foundation
package import Pages
package import Postgres
package import Tenancy

/// The look of a tenant's pages as its administrators set it. `Brand` is the same for the pages.
package struct Branding: Sendable {
    /// The logo without its bytes.
    struct LogoFacts: Sendable {
        let mediaType: Logo.MediaType
        /// The SHA-256 of the bytes.
        let digest: [UInt8]
        /// The number of bytes.
        let size: Int

        /// The part of the digest that the logo's URL contains. So each URL always has the same bytes.
        var hash: String { String(digest.hexadecimal.prefix(32)) }
    }

    /// The name for users. Nil for the tenant's name.
    var displayName: String?
    var color: Color?
    var supportURL, privacyURL, termsURL: String?
    var language: Language?
    var logo: LogoFacts?
    let createdAt: Date
    var updatedAt: Date

    /// The branding of a tenant that has set none.
    init(of tenant: Tenant) {
        // A time that a first change exceeds, so that the first change has another version.
        self.init(at: tenant.createdAt)
    }

    private init(at now: Date) {
        (createdAt, updatedAt) = (now, now)
    }

    /// The path of a tenant's logo on this server.
    static func path(ofLogo hash: String, slug: String) -> String { "/t/\(slug)/logo/\(hash)" }
}

// MARK: Rows

extension Branding {
    init(_ row: Row) throws {
        displayName = try row.get("display_name")
        color = try row.get("color", as: String?.self).flatMap { Color(hex: $0) }
        supportURL = try row.get("support_url")
        privacyURL = try row.get("privacy_url")
        termsURL = try row.get("terms_url")
        language = try row.get("default_language", as: String?.self).flatMap { Language(rawValue: $0) }
        createdAt = try row.get("created_at")
        updatedAt = try row.get("updated_at")
        if let mediaType = try row.get("media_type", as: String?.self).flatMap(Logo.MediaType.init) {
            logo = LogoFacts(mediaType: mediaType, digest: try row.get("digest"), size: try row.get("size"))
        }
    }

    /// The branding in the rows of `find` for a tenant.
    init(_ rows: Rows, of tenant: Tenant) throws {
        self = try rows.first(Branding.init) ?? Branding(of: tenant)
    }

    static func find(of tenant: ID<Tenant>) -> SQL { find(of: "\(tenant)") }

    /// Selects the branding of one tenant, without the bytes of its logo.
    /// - Parameter tenant: Selects the tenant's ID.
    private static func find(of tenant: SQL) -> SQL {
        """
        SELECT b.display_name, b.color, b.support_url, b.privacy_url, b.terms_url, b.default_language, b.created_at, b.updated_at,
            l.media_type, l.digest, l.size
        FROM branding b LEFT JOIN logo l ON l.tenant_id = b.tenant_id
        WHERE b.tenant_id = \(part: tenant)
        """
    }

    /// Makes changes of a tenant's branding one after another. Otherwise two first changes could both insert the row.
    static func lock(_ tenant: ID<Tenant>) -> SQL {
        "SELECT pg_advisory_xact_lock(1651663214, hashtext(\(tenant)::text))"
    }

    /// Stores everything except the logo. The change of the row notifies each process.
    func save(of tenant: ID<Tenant>) -> SQL {
        """
        INSERT INTO branding (tenant_id, display_name, color, support_url, privacy_url, terms_url, default_language, created_at, updated_at)
        VALUES (\(tenant), \(displayName), \(color?.description), \(supportURL), \(privacyURL), \(termsURL), \(language?.rawValue),
            \(createdAt), \(updatedAt))
        ON CONFLICT (tenant_id) DO UPDATE SET display_name = excluded.display_name, color = excluded.color,
            support_url = excluded.support_url, privacy_url = excluded.privacy_url, terms_url = excluded.terms_url,
            default_language = excluded.default_language, updated_at = excluded.updated_at
        """
    }
}

// MARK: For a seed

extension Branding {
    /// Stores the branding of a new tenant.
    /// - Parameter look: Everything except the name and the logo.
    package static func insert(displayName: String?, _ look: Brand, of tenant: ID<Tenant>, at now: Date) -> SQL {
        var branding = Branding(at: now)
        (branding.displayName, branding.color, branding.language) = (displayName, look.color, look.language)
        (branding.supportURL, branding.privacyURL, branding.termsURL) = (look.supportURL, look.privacyURL, look.termsURL)
        return branding.save(of: tenant)
    }
}

// MARK: For the pages

extension Branding {
    /// The look of a tenant's pages, for the cached configuration of tenants.
    package static let ofTenants = BrandSource(
        select: { find(of: $0) }, brand: { rows, tenant in try Branding(rows, of: tenant).brand(of: tenant) })

    private func brand(of tenant: Tenant) -> Brand {
        Brand(
            name: displayName ?? tenant.name, logo: logo.map { Self.path(ofLogo: $0.hash, slug: tenant.slug) }, color: color,
            supportURL: supportURL, privacyURL: privacyURL, termsURL: termsURL, language: language)
    }
}
