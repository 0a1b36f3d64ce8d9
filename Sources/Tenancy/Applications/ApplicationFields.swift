import Access
import ClientKeys
import Delivery
import Web

/// The members of a request that describe an application, each validated individually. Absent members change nothing.
struct ApplicationFields: Sendable {
    /// A member of a JSON merge patch (RFC 7396): absent, null, or a value.
    enum Setting<Value: Sendable>: Sendable {
        case unchanged
        /// Resets to the default.
        case reset
        case set(Value)

        func applied(to value: Value, default: Value) -> Value {
            switch self {
            case .unchanged: value
            case .reset: `default`
            case .set(let new): new
            }
        }

        /// Applies the setting to an optional value.
        func applied(to value: Value?) -> Value? {
            switch self {
            case .unchanged: value
            case .reset: nil
            case .set(let new): new
            }
        }
    }

    // These members have no default, so null is invalid.
    var name: String?
    var redirectURIs: [String]?
    var logoutURIs, bundleIDs: Setting<[String]>
    var backchannelLogoutURI: Setting<String>
    var frontchannelLogoutURI: Setting<String>
    var hasFrontchannelSession: Setting<Bool>
    var loginURL: Setting<String>
    var requiresPKCE, requiresOfflineAccess, allowsDevelopmentURIs, returnsTokensInURL: Setting<Bool>
    var requiresPushedRequests, requiresDPoP, allowsDeviceGrant, isThirdParty: Setting<Bool>
    var signInPage: Setting<SignInPageUse>
    var requiresName: Setting<Bool>
    var authMethod: Setting<Application.AuthMethod>
    var keys: Setting<PublicKeySet>
    var jwksURI: Setting<String>
    var accessTokenSeconds, sessionSeconds, idleSeconds: Setting<Int>
    var signingAlgorithm: Setting<Application.SigningAlgorithm>

    /// - Parameters:
    /// - isNew: whether an application is being registered, which requires a name.
    /// - allowsPrivate: whether its logout notifications may go to a private network and without TLS. For development.
    init(_ fields: inout JSONFields, isNew: Bool, allowsPrivate: Bool) {
        func setting<Value>(_ name: String, _ value: Value?) -> Setting<Value> {
            if let value { return .set(value) }
            return fields.isNull(name) ? .reset : .unchanged
        }
        let isURI: (String) -> String? = { uri in RedirectURI.refusal(of: uri).map { "It \($0)." } }
        name = fields.text("name", isRequired: isNew)
        redirectURIs = fields.texts("redirect_uris", count: 0...Application.mostURIs, refusal: isURI)
        let logoutURIs = fields.texts("logout_uris", count: 0...Application.mostURIs, refusal: isURI)
        let backchannelLogoutURI = fields.text("backchannel_logout_uri", 1...2000) { uri in
            WebhookURL.refusal(of: uri, allowsPrivate: allowsPrivate)
        }
        let frontchannelLogoutURI = fields.text("frontchannel_logout_uri", 1...2000, refusal: FrontchannelLogoutURI.refusal)
        let hasFrontchannelSession = fields.flag("frontchannel_logout_session_required")
        let loginURL = fields.text("login_url", 1...2000, refusal: LoginURL.refusal)
        let bundleIDs = fields.texts("bundle_ids", count: 0...20, refusal: BundleID.refusal)
        let requiresPKCE = fields.flag("requires_pkce")
        let requiresOfflineAccess = fields.flag("requires_offline_access")
        let allowsDevelopmentURIs = fields.flag("allows_development_uris")
        let returnsTokensInURL = fields.flag("returns_tokens_in_url")
        let requiresPushedRequests = fields.flag("requires_pushed_requests")
        let requiresDPoP = fields.flag("requires_dpop")
        let allowsDeviceGrant = fields.flag("allows_device_grant")
        let isThirdParty = fields.flag("is_third_party")
        let signInPage = fields.choice("sign_in_page", SignInPageUse.self)
        let requiresName = fields.flag("requires_name")
        let authMethod = fields.choice("token_endpoint_auth_method", Application.AuthMethod.self)
        var keys: PublicKeySet?
        if let value = fields.value("jwks") {
            do { keys = try PublicKeySet(value) } catch {
                fields.refuse("jwks" + (error.path.map { ".\($0)" } ?? ""), error.detail)
            }
        }
        let jwksURI = fields.text("jwks_uri", 1...2000) { uri in WebhookURL.refusal(of: uri, allowsPrivate: allowsPrivate) }
        let accessTokenSeconds = fields.integer("access_token_seconds", 60...86400)
        let sessionSeconds = fields.integer("session_seconds", 300...31_536_000)
        let idleSeconds = fields.integer("idle_seconds", 300...31_536_000)
        let signingAlgorithm = fields.choice(
            "signing_algorithm", Application.SigningAlgorithm.self,
            advice:
                "If a library verifies only RS256: `espalierctl applications update APP --tenant SLUG --signing-algorithm RS256`.")
        self.logoutURIs = setting("logout_uris", logoutURIs)
        self.backchannelLogoutURI = setting("backchannel_logout_uri", backchannelLogoutURI)
        self.frontchannelLogoutURI = setting("frontchannel_logout_uri", frontchannelLogoutURI)
        self.hasFrontchannelSession = setting("frontchannel_logout_session_required", hasFrontchannelSession)
        self.loginURL = setting("login_url", loginURL)
        self.bundleIDs = setting("bundle_ids", bundleIDs)
        self.requiresPKCE = setting("requires_pkce", requiresPKCE)
        self.requiresOfflineAccess = setting("requires_offline_access", requiresOfflineAccess)
        self.allowsDevelopmentURIs = setting("allows_development_uris", allowsDevelopmentURIs)
        self.returnsTokensInURL = setting("returns_tokens_in_url", returnsTokensInURL)
        self.requiresPushedRequests = setting("requires_pushed_requests", requiresPushedRequests)
        self.requiresDPoP = setting("requires_dpop", requiresDPoP)
        self.allowsDeviceGrant = setting("allows_device_grant", allowsDeviceGrant)
        self.isThirdParty = setting("is_third_party", isThirdParty)
        self.signInPage = setting("sign_in_page", signInPage)
        self.requiresName = setting("requires_name", requiresName)
        self.authMethod = setting("token_endpoint_auth_method", authMethod)
        self.keys = setting("jwks", keys)
        self.jwksURI = setting("jwks_uri", jwksURI)
        self.accessTokenSeconds = setting("access_token_seconds", accessTokenSeconds)
        self.sessionSeconds = setting("session_seconds", sessionSeconds)
        self.idleSeconds = setting("idle_seconds", idleSeconds)
        self.signingAlgorithm = setting("signing_algorithm", signingAlgorithm)
        // For a short session, the maximum idle time is at most the lifetime, unless the request sets it.
        if isNew, case .unchanged = self.idleSeconds { self.idleSeconds = .reset }
    }

    /// The application with these settings. `misfits` and `contradictions` decide whether it is valid.
    func applied(to application: Application) -> Application {
        var changed = application
        if let name { changed.name = name }
        if let redirectURIs { changed.redirectURIs = redirectURIs }
        changed.logoutURIs = logoutURIs.applied(to: application.logoutURIs, default: [])
        changed.backchannelLogoutURI = backchannelLogoutURI.applied(to: application.backchannelLogoutURI)
        changed.frontchannelLogoutURI = frontchannelLogoutURI.applied(to: application.frontchannelLogoutURI)
        changed.hasFrontchannelSession = hasFrontchannelSession.applied(to: application.hasFrontchannelSession, default: true)
        changed.loginURL = loginURL.applied(to: application.loginURL)
        changed.bundleIDs = bundleIDs.applied(to: application.bundleIDs, default: [])
        changed.requiresPKCE = requiresPKCE.applied(to: application.requiresPKCE, default: true)
        changed.requiresOfflineAccess = requiresOfflineAccess.applied(to: application.requiresOfflineAccess, default: false)
        changed.allowsDevelopmentURIs = allowsDevelopmentURIs.applied(to: application.allowsDevelopmentURIs, default: false)
        changed.returnsTokensInURL = returnsTokensInURL.applied(to: application.returnsTokensInURL, default: false)
        changed.requiresPushedRequests = requiresPushedRequests.applied(to: application.requiresPushedRequests, default: false)
        changed.requiresDPoP = requiresDPoP.applied(to: application.requiresDPoP, default: false)
        changed.allowsDeviceGrant = allowsDeviceGrant.applied(to: application.allowsDeviceGrant, default: false)
        changed.isThirdParty = isThirdParty.applied(to: application.isThirdParty, default: false)
        changed.signInPage = signInPage.applied(to: application.signInPage)
        changed.requiresName = requiresName.applied(to: application.requiresName, default: false)
        changed.authMethod = authMethod.applied(to: application.authMethod, default: .default(for: application.kind))
        changed.keys = keys.applied(to: application.keys)
        changed.jwksURI = jwksURI.applied(to: application.jwksURI)
        changed.accessTokenSeconds = accessTokenSeconds.applied(
            to: application.accessTokenSeconds, default: Application.defaultAccessTokenSeconds)
        changed.sessionSeconds = sessionSeconds.applied(to: application.sessionSeconds, default: Application.defaultSessionSeconds)
        changed.idleSeconds = idleSeconds.applied(
            to: application.idleSeconds, default: min(Application.defaultIdleSeconds, changed.sessionSeconds))
        changed.signingAlgorithm = signingAlgorithm.applied(to: application.signingAlgorithm, default: .ES256)
        return changed
    }
}
