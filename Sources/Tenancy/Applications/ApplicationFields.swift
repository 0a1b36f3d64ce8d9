import Delivery
import Web

/// What a caller says of an application, each member by itself checked; what is not said stays as it is.
struct ApplicationFields: Sendable {
    /// A member of a JSON merge patch (RFC 7396): absent, null, or a value.
    enum Setting<Value: Sendable>: Sendable {
        case unchanged
        /// Back to what applications have by default.
        case reset
        case set(Value)

        func applied(to value: Value, default: Value) -> Value {
            switch self {
            case .unchanged: value
            case .reset: `default`
            case .set(let new): new
            }
        }

        /// Of what need not be there.
        func applied(to value: Value?) -> Value? {
            switch self {
            case .unchanged: value
            case .reset: nil
            case .set(let new): new
            }
        }
    }

    // These have no default: a null of them says nothing.
    var name: String?
    var redirectURIs: [String]?
    var logoutURIs, bundleIDs: Setting<[String]>
    var backchannelLogoutURI: Setting<String>
    var requiresPKCE: Setting<Bool>
    var accessTokenSeconds, sessionSeconds, idleSeconds: Setting<Int>
    var signingAlgorithm: Setting<Application.SigningAlgorithm>

    /// - Parameters:
    ///   - isNew: whether an application is being registered, which needs a name.
    ///   - allowsPrivate: whether it may be told of logouts in a private network and without TLS: for development.
    init(_ fields: inout JSONFields, isNew: Bool, allowsPrivate: Bool) {
        func setting<Value>(_ name: String, _ value: Value?) -> Setting<Value> {
            if let value { return .set(value) }
            return fields.isNull(name) ? .reset : .unchanged
        }
        let isURI: (String) -> String? = { uri in RedirectURI.refusal(of: uri).map { "It \($0)." } }
        name = fields.text("name", isRequired: isNew)
        redirectURIs = fields.texts("redirect_uris", count: 0...100, refusal: isURI)
        let logoutURIs = fields.texts("logout_uris", count: 0...100, refusal: isURI)
        let backchannelLogoutURI = fields.text("backchannel_logout_uri", 1...2000) { uri in
            WebhookURL.refusal(of: uri, allowsPrivate: allowsPrivate)
        }
        let bundleIDs = fields.texts("bundle_ids", count: 0...20, refusal: BundleID.refusal)
        let requiresPKCE = fields.flag("requires_pkce")
        let accessTokenSeconds = fields.integer("access_token_seconds", 60...86400)
        let sessionSeconds = fields.integer("session_seconds", 300...31_536_000)
        let idleSeconds = fields.integer("idle_seconds", 300...31_536_000)
        let signingAlgorithm = fields.choice(
            "signing_algorithm", Application.SigningAlgorithm.self,
            advice:
                "For a library that verifies RS256 only: `espalierctl applications update APP --tenant SLUG --signing-algorithm RS256`.")
        self.logoutURIs = setting("logout_uris", logoutURIs)
        self.backchannelLogoutURI = setting("backchannel_logout_uri", backchannelLogoutURI)
        self.bundleIDs = setting("bundle_ids", bundleIDs)
        self.requiresPKCE = setting("requires_pkce", requiresPKCE)
        self.accessTokenSeconds = setting("access_token_seconds", accessTokenSeconds)
        self.sessionSeconds = setting("session_seconds", sessionSeconds)
        self.idleSeconds = setting("idle_seconds", idleSeconds)
        self.signingAlgorithm = setting("signing_algorithm", signingAlgorithm)
        // A short session is idle no longer than it lasts, unless something else is said.
        if isNew, case .unchanged = self.idleSeconds { self.idleSeconds = .reset }
    }

    /// What the application would be with them. Whether it may be is another question: `misfits`, `contradictions`.
    func applied(to application: Application) -> Application {
        var changed = application
        if let name { changed.name = name }
        if let redirectURIs { changed.redirectURIs = redirectURIs }
        changed.logoutURIs = logoutURIs.applied(to: application.logoutURIs, default: [])
        changed.backchannelLogoutURI = backchannelLogoutURI.applied(to: application.backchannelLogoutURI)
        changed.bundleIDs = bundleIDs.applied(to: application.bundleIDs, default: [])
        changed.requiresPKCE = requiresPKCE.applied(to: application.requiresPKCE, default: true)
        changed.accessTokenSeconds = accessTokenSeconds.applied(
            to: application.accessTokenSeconds, default: Application.defaultAccessTokenSeconds)
        changed.sessionSeconds = sessionSeconds.applied(to: application.sessionSeconds, default: Application.defaultSessionSeconds)
        changed.idleSeconds = idleSeconds.applied(
            to: application.idleSeconds, default: min(Application.defaultIdleSeconds, changed.sessionSeconds))
        changed.signingAlgorithm = signingAlgorithm.applied(to: application.signingAlgorithm, default: .ES256)
        return changed
    }
}
