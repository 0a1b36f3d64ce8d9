package import Access
import Apple
import Branding
import ClientKeys
import Delivery
import Encoding
package import Foundation
import Pages
import Postgres
package import Sealing
import Sessions
import Tenancy
import Web

/// Creates all objects of a plan, or none.
package struct Seed {
    let keyring: Keyring
    let publicURL: String
    let now: Date
    /// The folder of the files in the plan.
    let folder: URL
    private var random = SystemRandomNumberGenerator()
    private(set) var statements: [SQL] = []

    package struct Refusal: Error, CustomStringConvertible {
        package let description: String

        package init(_ description: String) {
            self.description = description
        }
    }

    package init(keyring: Keyring, publicURL: String, folder: URL, at now: Date) {
        (self.keyring, self.publicURL, self.folder, self.now) = (keyring, publicURL, folder, now)
    }

    /// - Throws: `Refusal`, with nothing changed.
    package mutating func run(_ plan: SeedPlan, in database: PlatformDatabase) async throws -> SeedResult {
        var result = SeedResult()
        if let connection = plan.connection { try add(connection, owner: .platform, at: "connection") }
        for key in plan.api_keys ?? [] { result.api_keys.append(try add(key, owner: .platform, at: "api_keys")) }
        for tenant in plan.tenants ?? [] { result.tenants.append(try add(tenant)) }
        guard !statements.isEmpty else { throw Refusal("The plan creates nothing. Add at least one object.") }
        do {
            _ = try await database.run(statements)
        } catch let error as DatabaseError where error.isUniqueViolation {
            let what =
                switch error.constraint {
                case "tenant_slug_key": "A tenant with one of these slugs"
                case "connection_shared": "The shared connection"
                default: "An object of the plan"
                }
            throw Refusal("\(what) already exists. Nothing was changed.")
        } catch let error as DatabaseError where error.sqlState == "23514" {
            throw Refusal("A value in the plan violates the rule \(error.constraint ?? "of its column"). Nothing was changed.")
        }
        return result
    }

    private mutating func add(_ plan: SeedPlan.TenantPlan) throws -> SeedResult.TenantResult {
        guard Tenant.isSlug(plan.slug)
        else { throw Refusal("tenants: \"\(plan.slug)\" is not a slug. Use 1 to 63 of a-z, 0-9 and -, not beginning or ending with -.") }
        let id = ID<Tenant>(at: now)
        statements.append(Tenant.insert(id, slug: plan.slug, name: plan.name, plan: plan.plan, at: now))
        if let branding = plan.branding { try add(branding, tenant: id, at: "\(plan.slug).branding") }
        if let connection = plan.connection {
            guard plan.plan.mayBringOwnConnection
            else { throw Refusal("\(plan.slug): its own connection needs the plan enterprise, not \(plan.plan.rawValue).") }
            let connection = try add(connection, owner: id.uuid, at: "\(plan.slug).connection")
            statements.append(Tenant.use(connection, for: id, at: now))
        }
        let issuer = "\(publicURL)/t/\(plan.slug)"
        let isOwn = plan.connection != nil
        var result = SeedResult.TenantResult(
            slug: plan.slug, id: id.description, issuer: issuer, connection: isOwn ? "own" : "shared",
            return_url: "\(isOwn ? issuer : publicURL)/auth/apple/callback")
        for application in plan.applications ?? [] { result.applications.append(try add(application, tenant: id, at: plan.slug)) }
        for key in plan.api_keys ?? [] { result.api_keys.append(try add(key, owner: id.uuid, at: plan.slug)) }
        return result
    }

    private mutating func add(_ plan: SeedPlan.BrandingPlan, tenant: ID<Tenant>, at place: String) throws {
        if let refusal = plan.display_name.flatMap(DisplayName.refusal) { throw Refusal("\(place).display_name: \(refusal)") }
        for (field, url) in [("privacy_url", plan.privacy_url), ("terms_url", plan.terms_url)] {
            if let refusal = url.flatMap(PublicURL.refusal(ofPage:)) { throw Refusal("\(place).\(field): \(refusal)") }
        }
        if let refusal = plan.support_url.flatMap(PublicURL.refusal(ofContact:)) { throw Refusal("\(place).support_url: \(refusal)") }
        let color = plan.color.flatMap { Color(hex: $0) }
        guard color != nil || plan.color == nil else { throw Refusal("\(place).color: use # and six hexadecimal digits.") }
        let language = plan.default_language.flatMap { Language(rawValue: $0) }
        guard language != nil || plan.default_language == nil else {
            throw Refusal("\(place).default_language: use \(Language.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        let look = Brand(
            name: "", color: color, supportURL: plan.support_url, privacyURL: plan.privacy_url, termsURL: plan.terms_url,
            language: language)
        statements.append(Branding.insert(displayName: plan.display_name, look, of: tenant, at: now))
        guard let file = plan.logo_file else { return }
        guard let image = try? Data(contentsOf: URL(filePath: file, relativeTo: folder))
        else { throw Refusal("\(place).logo_file: \(file) cannot be read. Check its path and permissions.") }
        let type: Logo.MediaType = file.utf8.suffix(4).elementsEqual(".svg".utf8) ? .svg : .png
        let logo: Logo
        do { logo = try Logo(Array(image), as: type) } catch { throw Refusal("\(place).logo_file: \(error.detail)") }
        statements.append(logo.save(of: tenant))
    }

    @discardableResult
    private mutating func add(_ plan: SeedPlan.ConnectionPlan, owner: UUID, at place: String) throws -> ID<Connection> {
        let pem: String
        switch (plan.key, plan.key_file) {
        case (let key?, nil): pem = key
        case (nil, let file?):
            do {
                pem = try String(contentsOf: URL(filePath: file, relativeTo: folder), encoding: .utf8)
            } catch {
                throw Refusal("\(place).key_file: \(file) cannot be read. Check its path and permissions.")
            }
        default: throw Refusal("\(place): set either key_file or key.")
        }
        let privateKey: ApplePrivateKey
        do { privateKey = try ApplePrivateKey(pem: pem) } catch { throw Refusal("\(place): \(error)") }
        let id = ID<Connection>(at: now)
        let key = ID<AppleKey>(at: now)
        let sealed = keyring.seal(Array(pem.utf8), in: AppleKey.context(owner: owner, id: key))
        statements += [
            Connection.insert(
                id, owner: owner, teamID: plan.team_id, servicesID: plan.services_id, bundleIDs: plan.bundle_ids ?? [], at: now),
            AppleKey.insert(
                key, owner: owner, connection: id, keyID: plan.key_id, sealedPEM: sealed, fingerprint: privateKey.fingerprint,
                state: .current, at: now),
        ]
        return id
    }

    private mutating func add(_ plan: SeedPlan.ApplicationPlan, tenant: ID<Tenant>, at place: String) throws -> SeedResult.App {
        for (what, uris) in [("redirect", plan.redirect_uris), ("logout", plan.logout_uris ?? [])] {
            for uri in uris {
                if let refusal = RedirectURI.refusal(of: uri) { throw Refusal("\(place): the \(what) URI \(uri) \(refusal).") }
            }
        }
        if let uri = plan.frontchannel_logout_uri, let refusal = FrontchannelLogoutURI.refusal(of: uri) {
            throw Refusal("\(place): \(plan.name).frontchannel_logout_uri: \(refusal)")
        }
        if let url = plan.login_url, let refusal = LoginURL.refusal(of: url) {
            throw Refusal("\(place): \(plan.name).login_url: \(refusal)")
        }
        for id in plan.bundle_ids ?? [] {
            if let refusal = BundleID.refusal(of: id) { throw Refusal("\(place): \(plan.name).bundle_ids: \(refusal)") }
        }
        let id = ID<Application>(at: now)
        var application = Application(id, kind: plan.kind, name: plan.name, redirectURIs: plan.redirect_uris, at: now)
        application.logoutURIs = plan.logout_uris ?? []
        application.frontchannelLogoutURI = plan.frontchannel_logout_uri
        application.hasFrontchannelSession = plan.frontchannel_logout_session_required ?? true
        application.loginURL = plan.login_url
        application.bundleIDs = plan.bundle_ids ?? []
        application.requiresPKCE = plan.requires_pkce ?? true
        application.requiresOfflineAccess = plan.requires_offline_access ?? false
        application.allowsDevelopmentURIs = plan.allows_development_uris ?? false
        application.returnsTokensInURL = plan.returns_tokens_in_url ?? false
        application.requiresPushedRequests = plan.requires_pushed_requests ?? false
        application.requiresDPoP = plan.requires_dpop ?? false
        application.allowsDeviceGrant = plan.allows_device_grant ?? false
        application.isThirdParty = plan.is_third_party ?? false
        application.signInPage = plan.sign_in_page
        application.requiresName = plan.requires_name ?? false
        application.authMethod = plan.token_endpoint_auth_method ?? .default(for: plan.kind)
        if let jwks = plan.jwks {
            let keys = jwks.keys.map { JSONValue.object($0.mapValues(JSONValue.string)) }
            do { application.keys = try PublicKeySet(.object(["keys": .array(keys)])) } catch {
                throw Refusal("\(place): \(plan.name).jwks\(error.path.map { ".\($0)" } ?? ""): \(error.detail)")
            }
        }
        if let uri = plan.jwks_uri, let refusal = WebhookURL.refusal(of: uri, allowsPrivate: false) {
            throw Refusal("\(place): \(plan.name).jwks_uri: \(refusal)")
        }
        application.jwksURI = plan.jwks_uri
        application.signingAlgorithm = plan.signing_algorithm ?? .ES256
        if let misfit = application.misfits.first { throw Refusal("\(place): \(plan.name).\(misfit.field): \(misfit.detail)") }
        let secret = application.authMethod == .secret ? ApplicationSecret.make(using: &random) : nil
        statements.append(application.insert(tenant: tenant))
        if let secret {
            statements.append(
                ApplicationSecret.insert(ID(at: now), tenant: tenant, application: id, secret: secret, keyring: keyring, at: now))
        }
        return .init(client_id: id.description, name: plan.name, client_secret: secret?.reveal(), redirect_uris: plan.redirect_uris)
    }

    private mutating func add(_ plan: SeedPlan.APIKeyPlan, owner: UUID, at place: String) throws -> SeedResult.Key {
        let id = ID<APIKey>(at: now)
        let secret = APIKey.makeSecret(live: publicURL.hasPrefix("https:"), using: &random)
        statements.append(
            APIKey.insert(
                id, owner: owner, name: plan.name, secret: secret, scopes: (plan.scopes ?? APIKey.Scope.allCases).map(\.rawValue),
                keyring: keyring, at: now))
        return .init(id: id.description, name: plan.name, secret: secret.reveal())
    }
}
