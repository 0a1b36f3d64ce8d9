package import Access
package import ClientKeys
package import Foundation
import Hummingbird
package import Logging
package import Sealing
package import Web

/// The endpoints that unauthenticated callers reach: finds the tenant that a request names, and its issuer.
package struct TenantEndpoints: Sendable {
    package let directory: TenantDirectory
    /// The limits for failed requests of unauthenticated callers.
    package let limits: RequestLimits
    package let keyring: Keyring
    /// Verifies applications that authenticate with their own keys.
    package let assertions: ClientAssertions
    /// Where browsers and Apple reach this server, without a slash at its end.
    package let publicURL: String
    package let logger: Logger
    package let now: @Sendable () -> Date

    package init(
        directory: TenantDirectory, limits: RequestLimits, keyring: Keyring, assertions: ClientAssertions, publicURL: String,
        logger: Logger, now: @escaping @Sendable () -> Date
    ) {
        (self.directory, self.limits, self.keyring, self.publicURL) = (directory, limits, keyring, publicURL)
        self.assertions = assertions
        (self.logger, self.now) = (logger, now)
    }

    /// The tenant's issuer identifier (RFC 8414, section 2).
    package func issuer(_ tenant: Tenant) -> String {
        issuer(slug: tenant.slug)
    }

    package func issuer(slug: String) -> String {
        "\(publicURL)/t/\(slug)"
    }

    /// The Return URL of a connection. It is registered at Apple, so it never changes. All tenants on the shared connection have the same
    /// one, because Apple limits the number of registered URLs.
    package func returnURL(_ tenant: Tenant, _ connection: Connection) -> String {
        connection.ownership == .own ? "\(issuer(tenant))/auth/apple/callback" : "\(publicURL)/auth/apple/callback"
    }

    /// The active tenant in the path.
    package func tenant(_ context: WebContext) async throws -> TenantConfiguration? {
        guard let slug = context.parameters.get("tenant"), let found = try await find(slug: slug, context), found.tenant.status == .active
        else { return nil }
        context.record.note(tenant: found.tenant.slug)
        return found
    }

    /// The issuer in the path of a public document. During an outage of the database, it may be old.
    /// - Throws: `TooManyRequests`, as in `find`.
    package func issuer(_ context: WebContext) async throws -> Issuer? {
        guard let slug = context.parameters.get("tenant") else { return nil }
        let found =
            directory.isKnown(slug: slug)
            ? try await directory.issuer(slug: slug)
            : try await limits.lookUp(slug, context.record) { try await directory.issuer(slug: slug) }
        if let found { context.record.note(tenant: found.slug) }
        return found
    }

    /// The tenant that an unauthenticated caller names.
    /// - Throws: `TooManyRequests` if the caller's address has used up its limit. The database is not asked then.
    package func find(slug: String, _ context: WebContext) async throws -> TenantConfiguration? {
        if directory.isKnown(slug: slug) { return try await directory.find(slug: slug) }
        return try await limits.lookUp(slug, context.record) { try await directory.find(slug: slug) }
    }

    /// The tenant of the application that an unauthenticated caller names.
    /// - Throws: `TooManyRequests`, as above.
    package func find(application: ID<Application>, _ context: WebContext) async throws -> TenantConfiguration? {
        if directory.isKnown(application) { return try await directory.find(application: application) }
        return try await limits.lookUp(application.description, context.record) { try await directory.find(application: application) }
    }
}
