import Access
import Encoding
import Foundation
import Sessions
import Tenancy
import Web

extension ClientMetadata {
    /// A new application with this metadata.
    /// - Throws: `OAuthError` if the token does not permit the kind, or if members contradict each other.
    func newApplication(_ id: ID<Application>, by token: InitialAccessToken, at now: Date) throws(OAuthError) -> Application {
        guard token.kinds.contains(kind) else {
            let permitted = token.kinds.map { "`\($0.rawValue)`" }.joined(separator: ", ")
            throw OAuthError(
                .invalidClientMetadata,
                "The metadata describe an application of kind `\(kind.rawValue)`. The initial access token permits \(permitted). "
                    + "Change application_type, grant_types or token_endpoint_auth_method, or ask for another token.")
        }
        var application = Application(id, kind: kind, name: "", redirectURIs: [], at: now)
        application.requiresPKCE = token.requiresPKCE || kind != .web
        // Its developer need not belong to the tenant.
        application.isThirdParty = true
        return try applied(to: application)
    }

    /// The application with this metadata. Settings that the metadata does not have do not change, because only administrators set them.
    /// - Throws: `OAuthError` if its kind or its authentication would change, or if members contradict each other.
    func replacement(of application: Application) throws(OAuthError) -> Application {
        guard kind == application.kind || isPublic && [.spa, .native].contains(application.kind) else {
            throw OAuthError(
                .invalidClientMetadata,
                "The metadata describe an application of kind `\(kind.rawValue)`, and this client is of kind `\(application.kind.rawValue)`, "
                    + "which cannot change. Register another client.")
        }
        let changed = try applied(to: application)
        guard changed.authMethod != .secret || application.authMethod == .secret else {
            throw OAuthError(
                .invalidClientMetadata,
                "token_endpoint_auth_method: A client that authenticates by private_key_jwt cannot return to a secret. "
                    + "Register another client.")
        }
        return changed
    }

    private func applied(to application: Application) throws(OAuthError) -> Application {
        var changed = application
        // The name is optional here, and an application always has one.
        changed.name = name ?? application.id.description
        changed.redirectURIs = redirectURIs
        changed.logoutURIs = logoutURIs
        changed.backchannelLogoutURI = backchannelLogoutURI
        (changed.frontchannelLogoutURI, changed.hasFrontchannelSession) = (frontchannelLogoutURI, hasFrontchannelSession)
        changed.loginURL = loginURL
        changed.authMethod = authMethod.ofApplication
        changed.keys = keys
        changed.jwksURI = jwksURI
        changed.requiresOfflineAccess = grants.signsIn && !grants.refreshes
        // A client never takes back a requirement, because an administrator may have set it.
        changed.requiresPushedRequests = application.requiresPushedRequests || requiresPushedRequests
        changed.requiresDPoP = application.requiresDPoP || requiresDPoP
        // RS256 is the default of OpenID Connect Dynamic Client Registration, section 2. A machine has no id_token.
        changed.signingAlgorithm = signingAlgorithm ?? (grants.signsIn ? .RS256 : application.signingAlgorithm)
        if !changed.allowsDevelopmentURIs { try refuseDevelopmentURIs() }
        let misfits = changed.misfits.map { Problem.Field($0.field.nameInMetadata, $0.detail) }
        guard misfits.isEmpty else { throw OAuthError(metadata: misfits) }
        return changed
    }

    /// Only an administrator can permit them, after the registration.
    private func refuseDevelopmentURIs() throws(OAuthError) {
        for (name, uris) in [("redirect_uris", redirectURIs), ("post_logout_redirect_uris", logoutURIs)] {
            guard let index = uris.firstIndex(where: RedirectURI.isForDevelopment) else { continue }
            let advice =
                "It has a form that is for development only. Use https, http on a loopback address, or a scheme with a dot "
                + "such as com.example.app:/callback."
            throw OAuthError(metadata: [.init("\(name)[\(index)]", advice)])
        }
    }

    // MARK: The kind

    /// The kind of application that the metadata describe.
    var kind: Application.Kind {
        guard grants.signsIn else { return .machine }
        guard isPublic else { return .web }
        return type == .native || type == nil && redirectURIs.contains(where: RedirectURI.isOfDevice) ? .native : .spa
    }

    private var isPublic: Bool { grants.signsIn && authMethod == .none }

    /// The method, or the default: `client_secret_basic` (RFC 7591, section 2). A native client without a method gets `none`, because
    /// nothing on a device can protect a secret (RFC 8252, section 8.5).
    var authMethod: AuthMethod {
        if let method { return method }
        let isNative = grants.signsIn && (type == .native || type == nil && redirectURIs.contains(where: RedirectURI.isPrivateUse))
        return isNative ? .none : .client_secret_basic
    }

    /// The metadata for the database.
    var storedDetails: ClientDetails {
        var stored = details
        stored.token_endpoint_auth_method = method == .client_secret_post ? method?.rawValue : nil
        stored.application_type = type?.rawValue
        return stored
    }
}

extension String {
    /// The name in client metadata of an application's field, such as `logout_uris[0]`.
    fileprivate var nameInMetadata: String {
        for (field, member) in [
            ("logout_uris", "post_logout_redirect_uris"), ("requires_pushed_requests", "require_pushed_authorization_requests"),
            ("requires_dpop", "dpop_bound_access_tokens"), ("login_url", "initiate_login_uri"),
        ] where begins(with: field) { return member + String(Substring(utf8.dropFirst(field.utf8.count))) }
        return self
    }
}
