import Access
import Crypto
import DemoApplication
import Foundation
import Postgres
import Sealing
import Server
import Tenancy

/// The demo's two tenants: Acme with its own Apple credentials and two applications, Globex with the shared ones and one application. A third
/// one is the platform's own, through which people sign in with Apple. The first start creates them, and `demo.json` stores them and their
/// secrets for later starts.
struct DemoTenants: Sendable {
    struct Saved: Codable, Sendable {
        var seeded: SeedResult
        /// The platform's own tenant. Nil in a file of an earlier version.
        var own_tenant: SeedResult.TenantResult?
        /// The public halves of the Apple keys. Apple knows only these.
        var own_public_key: String
        var shared_public_key: String
    }

    private(set) var saved: Saved

    private static let own = (team: "ACMETEAM01", services: "com.example.acme.web", key: "ACMEKEY001")
    private static let shared = (team: "ESPALIER01", services: "com.example.espalier.web", key: "ESPALIERK1")

    init(folder: URL, settings: Settings, ports: DevPorts, ownerURL: String) async throws {
        let file = folder.appending(path: "demo.json")
        if let data = try? Data(contentsOf: file) {
            do { saved = try JSONDecoder().decode(Saved.self, from: data) } catch {
                throw Seed.Refusal("\(file.path) cannot be read. Remove \(folder.path) to start again.")
            }
            if saved.own_tenant == nil { try await addOwnTenant(file, settings) }
            try await move(to: ports, ownerURL: ownerURL)
            return
        }
        let (ownKey, sharedKey) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
        let plan = Self.plan(ownKey: ownKey, sharedKey: sharedKey, ports)
        saved = Saved(
            seeded: try await Self.seed(plan, folder, settings), own_public_key: ownKey.publicKey.pemRepresentation,
            shared_public_key: sharedKey.publicKey.pemRepresentation)
        saved.own_tenant = saved.seeded.tenants.removeLast()
        try PrivateFile.write(try JSONEncoder().encode(saved), to: file)
    }

    private static func seed(_ plan: SeedPlan, _ folder: URL, _ settings: Settings) async throws -> SeedResult {
        try await withPool(settings.databaseURL) { pool in
            var seed = Seed(keyring: settings.keyring, publicURL: settings.publicURL, folder: folder, at: Date())
            return try await seed.run(plan, in: PlatformDatabase(pool, for: .command))
        }
    }

    /// Adds the platform's own tenant to a folder of an earlier version.
    private mutating func addOwnTenant(_ file: URL, _ settings: Settings) async throws {
        let plan = SeedPlan(tenants: [Self.ownTenant(settings.publicURL)])
        saved.own_tenant = try await Self.seed(plan, file.deletingLastPathComponent(), settings).tenants[0]
        try PrivateFile.write(try JSONEncoder().encode(saved), to: file)
    }

    /// Its sign-ins use the shared credentials.
    private static func ownTenant(_ publicURL: String) -> SeedPlan.TenantPlan {
        .init(
            slug: "espalier", name: "Espalier", plan: .free,
            applications: [.init(name: "Accounts", kind: .spa, redirect_uris: [accountCallback(publicURL)])])
    }

    private static func accountCallback(_ publicURL: String) -> String { "\(publicURL)/account/apple/callback" }

    /// The settings with which people sign in with Apple through the platform's own tenant.
    var platformSettings: [String: String] {
        guard let tenant = saved.own_tenant else { return [:] }
        return ["ESPALIER_PLATFORM_TENANT": tenant.slug, "ESPALIER_PLATFORM_APPLICATION": tenant.applications[0].client_id]
    }

    private static func plan(ownKey: P256.Signing.PrivateKey, sharedKey: P256.Signing.PrivateKey, _ ports: DevPorts) -> SeedPlan {
        func application(_ slug: String, _ kind: Tenancy.Application.Kind, name: String = "Demo") -> SeedPlan.ApplicationPlan {
            .init(
                name: name, kind: kind, redirect_uris: [DemoApplication.redirectURI(publicURL: ports.demoURL, slug: slug)],
                // So the shortest link also works: /auth/apple/authorize?client_id=…&redirect_uri=…
                requires_pkce: kind == .spa, logout_uris: [DemoApplication.logoutURI(publicURL: ports.demoURL)],
                login_url: DemoApplication.loginURL(publicURL: ports.demoURL, slug: slug))
        }
        return SeedPlan(
            connection: .init(team_id: shared.team, services_id: shared.services, key_id: shared.key, key: sharedKey.pemRepresentation),
            api_keys: [.init(name: "Demo operator")],
            tenants: [
                .init(
                    slug: "acme", name: "Acme", plan: .enterprise,
                    connection: .init(team_id: own.team, services_id: own.services, key_id: own.key, key: ownKey.pemRepresentation),
                    applications: [application("acme", .web), application(slug(of: 1, at: "acme"), .spa, name: "Acme Shop")],
                    api_keys: [.init(name: "Demo")]),
                .init(
                    slug: "globex", name: "Globex", plan: .free, applications: [application("globex", .spa)],
                    api_keys: [.init(name: "Demo")]),
                ownTenant(ports.baseURL),
            ])
    }

    /// The last part of the demo's addresses for an application of a tenant: the slug for the first one, and another word for the second.
    private static func slug(of number: Int, at tenant: String) -> String { number == 0 ? tenant : "\(tenant)-shop" }

    /// Updates the URLs of the applications if the ports changed.
    private func move(to ports: DevPorts, ownerURL: String) async throws {
        func id(_ application: SeedResult.App) throws -> ID<Tenancy.Application> {
            guard let id = ID<Tenancy.Application>(application.client_id) else { throw Seed.Refusal("demo.json has no application.") }
            return id
        }
        var statements = try saved.seeded.tenants.flatMap { tenant in
            try tenant.applications.enumerated().map { number, application -> SQL in
                let slug = Self.slug(of: number, at: tenant.slug)
                let uris = [DemoApplication.redirectURI(publicURL: ports.demoURL, slug: slug)]
                let logoutURIs = [DemoApplication.logoutURI(publicURL: ports.demoURL)]
                return Tenancy.Application.move(
                    try id(application), redirectURIs: uris, logoutURIs: logoutURIs,
                    loginURL: DemoApplication.loginURL(publicURL: ports.demoURL, slug: slug))
            }
        }
        for application in saved.own_tenant?.applications ?? [] {
            statements.append(
                Tenancy.Application.move(
                    try id(application), redirectURIs: [Self.accountCallback(ports.baseURL)], logoutURIs: [], loginURL: nil))
        }
        _ = try await withPool(ownerURL) { [statements] pool in try await pool.run(statements) }
    }

    /// The registrations at Apple, in the simulator's format.
    func registry(_ ports: DevPorts) throws -> Data {
        struct ServicesID: Encodable {
            let id, display_name: String
            let return_urls: [String]
        }
        struct Key: Encodable {
            let id, public_key: String
        }
        struct Team: Encodable {
            let id, notification_url: String
            let services_ids: [ServicesID]
            let keys: [Key]
        }
        let teams = [
            Team(
                id: Self.own.team, notification_url: "\(ports.baseURL)/t/acme/auth/apple/notifications",
                services_ids: [
                    .init(
                        id: Self.own.services, display_name: "Acme", return_urls: ["\(ports.baseURL)/t/acme/auth/apple/callback"])
                ],
                keys: [.init(id: Self.own.key, public_key: saved.own_public_key)]),
            Team(
                id: Self.shared.team, notification_url: "\(ports.baseURL)/auth/apple/notifications",
                services_ids: [
                    .init(
                        id: Self.shared.services, display_name: "Espalier demo", return_urls: ["\(ports.baseURL)/auth/apple/callback"])
                ],
                keys: [.init(id: Self.shared.key, public_key: saved.shared_public_key)]),
        ]
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(["teams": teams])
    }

    func forDemoApplication(_ ports: DevPorts) -> [DemoApplication.Tenant] {
        saved.seeded.tenants.flatMap { tenant in
            let name = tenant.slug == "acme" ? "Acme" : "Globex"
            return tenant.applications.enumerated().map { number, application in
                DemoApplication.Tenant(
                    slug: Self.slug(of: number, at: tenant.slug), tenantSlug: tenant.slug, name: number == 0 ? name : application.name,
                    issuer: "\(ports.baseURL)/t/\(tenant.slug)", clientID: application.client_id,
                    clientSecret: application.client_secret, apiKey: tenant.api_keys[0].secret,
                    connection: tenant.connection == "own" ? .own : .shared)
            }
        }
    }
}
