package import Access
import Encoding
package import Foundation
package import Pages
package import Postgres
package import Sealing
import Synchronization
package import Web

/// The configuration of a tenant that a login needs. It is read in one round trip and cached.
///
/// It is a class, because a login passes it on many times, and a copy of a struct counts the references of each field.
package final class TenantConfiguration: Sendable {
    package let tenant: Tenant
    /// The connection in use: the tenant's own or the shared one. Nil until one is set up.
    package let connection: Connection?
    /// The current Apple key of the connection.
    package let appleKey: AppleKey?
    /// The applications, with their settings limited by the tenant's settings.
    package let applications: [ID<Application>: Application]
    /// The look of the tenant's pages.
    package let brand: Brand
    /// The origins of the tenant's single-page applications. Their scripts may call the endpoints that a library in the browser needs.
    private let origins: [String]
    /// The same for applications that allow URIs for development: loopback origins without a port, and origins with a wildcard.
    private let developmentOrigins: [String]
    /// The end of a month whose hard budget is used up.
    private let loginsRefusedUntil: Date?

    /// Whether a script of this origin may call these endpoints.
    package func allows(origin: String) -> Bool {
        origins.has(origin) || developmentOrigins.contains { DevelopmentURI.isSameOrigin($0, origin) }
    }

    /// Whether new logins are refused, because the tenant's hard budget for the month is used up. Existing sessions continue.
    package func refusesLogins(at now: Date) -> Bool {
        loginsRefusedUntil.map { now < $0 } ?? false
    }

    /// The configuration for a request that arrived at one of the tenant's addresses. Nil if this address does not serve the tenant.
    package func reached(at host: OwnHost?) -> TenantConfiguration? {
        guard let host else { return tenant.addresses.isExclusive ? nil : self }
        guard let addresses = tenant.addresses.reached(at: host.name) else { return nil }
        return TenantConfiguration(self, at: addresses)
    }

    private init(_ other: TenantConfiguration, at addresses: TenantAddresses) {
        var (tenant, brand) = (other.tenant, other.brand)
        tenant.addresses = addresses
        // The logo is below the address of the tenant, like everything else.
        brand.logo = brand.logo.map { String($0.dropFirst(other.tenant.path.utf8.count)) }
        (self.tenant, self.brand) = (tenant, brand)
        (connection, appleKey, applications) = (other.connection, other.appleKey, other.applications)
        (origins, developmentOrigins, loginsRefusedUntil) = (other.origins, other.developmentOrigins, other.loginsRefusedUntil)
    }

    init(
        tenant: Tenant, connection: Connection?, appleKey: AppleKey?, applications: [ID<Application>: Application], brand: Brand,
        loginsRefusedUntil: Date? = nil
    ) {
        (self.tenant, self.connection, self.appleKey, self.applications) = (tenant, connection, appleKey, applications)
        (self.brand, self.loginsRefusedUntil) = (brand, loginsRefusedUntil)
        let pages = applications.values.filter { $0.kind == .spa }
        origins = pages.flatMap(\.redirectURIs).filter { !DevelopmentURI.hasWildcard($0) }.compactMap(RedirectURI.origin)
        developmentOrigins = DevelopmentURI.origins(of: pages.filter(\.allowsDevelopmentURIs).flatMap(\.redirectURIs))
    }
}

/// Reads the look of a tenant's pages together with its configuration. Another target owns its table.
package struct BrandSource: Sendable {
    /// - Parameter tenant: selects the tenant's ID.
    let select: @Sendable (_ tenant: SQL) -> SQL
    let brand: @Sendable (Rows, Tenant) throws -> Brand

    package init(
        select: @escaping @Sendable (_ tenant: SQL) -> SQL, brand: @escaping @Sendable (Rows, Tenant) throws -> Brand
    ) {
        (self.select, self.brand) = (select, brand)
    }
}

/// Reads the tenant's own domains together with its configuration. Another target owns their table.
package struct DomainSource: Sendable {
    /// - Parameter tenant: selects the tenant's ID.
    let select: @Sendable (_ tenant: SQL) -> SQL
    let addresses: @Sendable (Rows) throws -> TenantAddresses

    package init(
        select: @escaping @Sendable (_ tenant: SQL) -> SQL, addresses: @escaping @Sendable (Rows) throws -> TenantAddresses
    ) {
        (self.select, self.addresses) = (select, addresses)
    }
}

/// The part of a tenant that its public documents (JWKS and discovery) need. It has no setting, so that nobody can decide about an
/// application, a redirect URI or a login with it.
package struct Issuer: Sendable {
    package let tenant: ID<Tenant>
    package let slug: String
    /// The addresses of the tenant, with that of the request.
    package fileprivate(set) var addresses: TenantAddresses
    /// Whether the tenant may have changed since it was read, for example its status.
    package let isOld: Bool

    /// How old the data of a public document may be while the database does not answer, in seconds: as old as a client's copy of the
    /// document may be. A client caches a document with old data for up to `oldLifetime`. So no client uses data older than 6 minutes,
    /// with or without an outage, and a key is published for 10 minutes before it signs (`SigningKey.notice`).
    package static let recency = 300
    /// The `max-age` of a document, in seconds.
    package static let lifetime = 300
    /// The `max-age` of a document with old data, in seconds.
    package static let oldLifetime = 60
}

/// Finds tenants by an ID, a slug or a client ID. It reads from memory, except the first time.
///
/// An unknown slug or client ID costs one statement. The result is cached for up to a minute, or until a tenant or application is created.
/// A slug always belongs to the same tenant, so a change of a known tenant leaves the unknown slugs unchanged.
package final class TenantDirectory: Sendable {
    private let known = KnownNames()
    private let bySlug: ConfigurationCache<String, TenantConfiguration>
    private let slugs: ConfigurationCache<ID<Application>, String>
    private let slugsOfTenants: ConfigurationCache<ID<Tenant>, String>

    /// - Parameter budget: Selects the end of the time in which a tenant with this slug refuses logins.
    package init(
        database: PlatformDatabase, keyring: Keyring, brands: BrandSource, domains: DomainSource,
        budget: @escaping @Sendable (_ tenant: SQL) -> SQL
    ) {
        let known = known
        // It only reads.
        let database = database.repeatable
        bySlug = ConfigurationCache(recency: .seconds(Issuer.recency)) { slug in
            // This prevents a guess from costing the eight statements below.
            if !known.contains(slug: slug), try await database.run(Tenant.exists(slug: slug)).isEmpty { return nil }
            var batch = Statements()
            let found = batch.append(Tenant.find(slug: slug))
            let connection = batch.append(Connection.serving(tenantWithSlug: slug))
            let appleKey = batch.append(AppleKey.current(forTenantWithSlug: slug))
            let applications = batch.append(Application.all(ofTenantWithSlug: slug))
            let applicationSecrets = batch.append(Application.secrets(ofTenantWithSlug: slug))
            let budgetEnd = batch.append(budget("(SELECT id FROM tenant WHERE slug = \(slug))"))
            let branding = batch.append(brands.select("(SELECT id FROM tenant WHERE slug = \(slug))"))
            let addresses = batch.append(domains.select("(SELECT id FROM tenant WHERE slug = \(slug))"))
            let results = try await database.run(batch)
            guard var tenant = try results[found].first(Tenant.init) else {
                known.remove(slug: slug)
                return nil
            }
            known.insert(slug: slug, of: tenant.id.uuid)
            tenant.addresses = try domains.addresses(results[addresses])
            let secrets = Dictionary(
                grouping: try results[applicationSecrets].map { row in
                    let application = try row.get("application_id", as: ID<Application>.self)
                    let (id, digest): (ID<ApplicationSecret>, [UInt8]) = (try row.get("id"), try row.get("digest"))
                    let context = ApplicationSecret.context(id, of: application, tenant: tenant.id)
                    return (
                        application,
                        Application.Secret(
                            id: id, digest: digest, binding: keyring.binding(of: digest, try row.get("bound_digest"), to: context),
                            expiresAt: try row.get("expires_at"))
                    )
                }, by: \.0
            ).mapValues { $0.map(\.1) }
            let configuration = TenantConfiguration(
                tenant: tenant, connection: try results[connection].first(Connection.init),
                appleKey: try results[appleKey].first(AppleKey.init),
                applications: Dictionary(
                    uniqueKeysWithValues: try results[applications].map { row in
                        let application = try Application(row, secrets: secrets).limited(by: tenant.settings)
                        return (application.id, application)
                    }), brand: try brands.brand(results[branding], tenant),
                loginsRefusedUntil: try results[budgetEnd].first { try $0.get("refused_until", as: Date?.self) } ?? nil)
            return .init(configuration, owner: tenant.id.uuid)
        }
        slugs = ConfigurationCache { application in
            let found = try await database.run(Application.slugOfTenant(of: application)).first { row in
                ConfigurationCache<ID<Application>, String>.Owned(try row.get("slug"), owner: try row.get("id"))
            }
            if found != nil { known.insert(application) } else { known.remove(application) }
            return found
        }
        slugsOfTenants = ConfigurationCache { tenant in
            try await database.run(Tenant.find(tenant)).first { row in .init(try row.get("slug"), owner: tenant.uuid) }
        }
    }

    package func find(slug: some StringProtocol) async throws -> TenantConfiguration? {
        guard Tenant.isSlug(slug) else { return nil }
        return try await bySlug[String(slug)]
    }

    /// The issuer of an active tenant, for its public documents. While the database does not answer, it may be up to `Issuer.recency` old.
    /// - Parameter host: the own host of the request; nil for the public URL.
    package func issuer(slug: some StringProtocol, at host: OwnHost?) async throws -> Issuer? {
        guard Tenant.isSlug(slug), let found = try await bySlug.recent(String(slug)), found.value.tenant.status == .active,
            let addresses = found.value.tenant.addresses.reached(at: host?.name)
        else { return nil }
        return Issuer(tenant: found.value.tenant.id, slug: found.value.tenant.slug, addresses: addresses, isOld: found.isOld)
    }

    /// The tenant in the memory of this process, which may be outdated. Use it only for the look of a page.
    package func remembered(slug: some StringProtocol) -> TenantConfiguration? {
        Tenant.isSlug(slug) ? bySlug.remembered(String(slug)) : nil
    }

    /// Whether this process has found the tenant before. If so, a look-up is not a guess.
    package func isKnown(slug: some StringProtocol) -> Bool {
        !Tenant.isSlug(slug) || known.contains(slug: String(slug))
    }

    /// Whether this process has found the application before.
    package func isKnown(_ application: ID<Application>) -> Bool {
        known.contains(application)
    }

    package func find(application: ID<Application>) async throws -> TenantConfiguration? {
        guard let slug = try await slugs[application] else { return nil }
        return try await bySlug[slug]
    }

    package func find(_ tenant: ID<Tenant>) async throws -> TenantConfiguration? {
        guard let slug = try await slugsOfTenants[tenant] else { return nil }
        return try await bySlug[slug]
    }

    /// Finds a tenant by ID or slug, as in the paths of the REST API.
    package func find(idOrSlug text: String) async throws -> TenantConfiguration? {
        guard let id = ID<Tenant>(text) else { return try await find(slug: text) }
        return try await find(id)
    }

    package func forget(_ owner: UUID?) {
        let isNew = owner.map { !known.contains(tenant: $0) } ?? true
        bySlug.forget(owner, mayBeNew: isNew)
        // A known tenant may have a new application.
        slugs.forget(owner)
        slugsOfTenants.forget(owner, mayBeNew: isNew)
    }

    package func forgetAll(isFresh: Bool) {
        bySlug.forgetAll(isFresh: isFresh)
        slugs.forgetAll(isFresh: isFresh)
        slugsOfTenants.forgetAll(isFresh: isFresh)
    }
}

/// The slugs and applications that this process has found. They are remembered longer than their configuration, up to a limit.
private final class KnownNames: Sendable {
    private struct Names {
        var slugs: [String: UUID] = [:]
        var tenants: Set<UUID> = []
        var applications: Set<ID<Application>> = []
    }

    private static let capacity = 20_000
    private let names = Mutex(Names())

    func contains(slug: String) -> Bool { names.withLock { $0.slugs[slug] != nil } }
    func contains(tenant: UUID) -> Bool { names.withLock { $0.tenants.contains(tenant) } }
    func contains(_ application: ID<Application>) -> Bool { names.withLock { $0.applications.contains(application) } }

    func insert(slug: String, of tenant: UUID) {
        names.withLock { names in
            if names.slugs.count >= Self.capacity { (names.slugs, names.tenants) = ([:], []) }
            names.slugs[slug] = tenant
            names.tenants.insert(tenant)
        }
    }

    func remove(slug: String) {
        names.withLock { names in
            if let tenant = names.slugs.removeValue(forKey: slug) { names.tenants.remove(tenant) }
        }
    }

    func insert(_ application: ID<Application>) {
        names.withLock { names in
            if names.applications.count >= Self.capacity { names.applications = [] }
            names.applications.insert(application)
        }
    }

    func remove(_ application: ID<Application>) {
        _ = names.withLock { $0.applications.remove(application) }
    }
}
