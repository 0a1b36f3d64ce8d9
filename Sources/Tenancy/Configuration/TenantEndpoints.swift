package import Access
package import ClientKeys
import Encoding
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

    /// The tenant's issuer identifier (RFC 8414, section 2) at the address of the request in progress. So discovery, authorization responses
    /// and tokens of one flow have the same issuer, at each address of the tenant.
    package func issuer(_ tenant: Tenant) -> String {
        issuer(slug: tenant.slug, tenant.addresses.current)
    }

    package func issuer(_ issuer: Issuer) -> String {
        self.issuer(slug: issuer.slug, issuer.addresses.current)
    }

    /// The issuer for an application that got its last tokens at this address.
    package func issuer(_ tenant: Tenant, after host: String?) -> String {
        issuer(slug: tenant.slug, tenant.addresses.host(after: host))
    }

    private func issuer(slug: String, _ host: String?) -> String {
        TenantAddresses.issuer(of: slug, at: host, publicURL: publicURL)
    }

    /// The issuers whose tokens the tenant's endpoints accept: those of all addresses that are on.
    package func issuers(_ tenant: Tenant) -> [String] {
        (tenant.addresses.isExclusive ? [] : [issuer(slug: tenant.slug, nil)])
            + tenant.addresses.hosts.map { issuer(slug: tenant.slug, $0) }
    }

    /// Whether an id_token of the tenant may have this issuer: that of an address that is on, or that was. An application may have the
    /// id_token of a session longer than the tenant has the address, and its user must be able to sign out. An id_token proves an earlier
    /// sign-in, and permits nothing else. The tokens of WorkOS's interface have another path in their issuer.
    package func isIssuer(_ issuer: String, everOf tenant: Tenant) -> Bool {
        if issuer.isSame(as: self.issuer(slug: tenant.slug, nil)) { return true }
        return HostName.inURL(issuer).map { issuer.isSame(as: origin(ofHost: $0)) } ?? false
    }

    /// The issuer of the pages that a person opens later: at the address of the request, or else at the tenant's primary domain. A failing
    /// one may belong to somebody else, so it is used only if the other address is off.
    package func openIssuer(_ tenant: Tenant) -> String {
        let addresses = tenant.addresses
        let primary = addresses.primary.flatMap { addresses.isExclusive || !addresses.isFailing($0) ? $0 : nil }
        return issuer(slug: tenant.slug, addresses.current ?? primary)
    }

    /// The origin of an own host of a tenant.
    package func origin(ofHost host: String) -> String { HostName.origin(of: host, like: publicURL) }

    /// The origin of the address that a request uses, without a slash at its end.
    package func origin(_ context: WebContext) -> String {
        context.ownHost.map { HostName.origin(of: $0.name, like: publicURL) } ?? publicURL
    }

    /// The Return URL of a connection, at the address of the request in progress. It is registered at Apple, so it never changes. All tenants
    /// on the shared connection have the same one, because Apple limits the number of registered URLs.
    package func returnURL(_ tenant: Tenant, _ connection: Connection) -> String {
        connection.ownership == .own ? "\(issuer(tenant))/auth/apple/callback" : "\(publicURL)/auth/apple/callback"
    }

    /// The active tenant in the path, or of the host, if this address serves it.
    package func tenant(_ context: WebContext) async throws -> TenantConfiguration? {
        guard let slug = context.parameters.get("tenant"), let found = try await find(slug: slug, context), found.tenant.status == .active,
            let reached = found.reached(at: context.ownHost)
        else { return nil }
        context.record.note(tenant: reached.tenant.slug)
        return reached
    }

    /// The active tenant in the path of Apple's response to a login attempt. It also serves an address that was switched off since the attempt
    /// started, so that the name which Apple sends once is saved, and the sign-ins of an interface at the public URL.
    package func tenantOfAttempt(_ context: WebContext) async throws -> TenantConfiguration? {
        if let tenant = try await tenant(context) { return tenant }
        guard context.ownHost == nil, let slug = context.parameters.get("tenant"), let found = try await find(slug: slug, context),
            found.tenant.status == .active
        else { return nil }
        context.record.note(tenant: found.tenant.slug)
        return found
    }

    /// The active tenant in the path, if its address below the public URL is switched off, and the request arrived there.
    package func movedTenant(_ context: WebContext) async throws -> Tenant? {
        guard context.ownHost == nil, let slug = context.parameters.get("tenant"), let found = try await find(slug: slug, context),
            found.tenant.status == .active, found.tenant.addresses.isExclusive
        else { return nil }
        return found.tenant
    }

    /// The issuer in the path of a public document. During an outage of the database, it may be old.
    /// - Throws: `TooManyRequests`, as in `find`.
    package func issuer(_ context: WebContext) async throws -> Issuer? {
        guard let slug = context.parameters.get("tenant") else { return nil }
        let found =
            directory.isKnown(slug: slug)
            ? try await directory.issuer(slug: slug, at: context.ownHost)
            : try await limits.lookUp(slug, context.record) { try await directory.issuer(slug: slug, at: context.ownHost) }
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
