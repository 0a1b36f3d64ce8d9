import Access
import ClientKeys
import Foundation
import Sealing

/// An application as callers and the audit trail see it.
struct ApplicationReply: Encodable, Equatable {
    let id: ID<Application>
    let object = "application"
    let name: String
    let kind: Application.Kind
    let redirect_uris, logout_uris: [String]
    let backchannel_logout_uri, frontchannel_logout_uri: String?
    let frontchannel_logout_session_required: Bool
    let login_url: String?
    let bundle_ids: [String]
    let requires_pkce, requires_offline_access, allows_development_uris, returns_tokens_in_url: Bool
    let requires_pushed_requests, requires_dpop, allows_device_grant, is_third_party: Bool
    let sign_in_page: SignInPageUse?
    let requires_name: Bool
    let token_endpoint_auth_method: Application.AuthMethod
    let jwks: PublicKeySet?
    let jwks_uri: String?
    let access_token_seconds, session_seconds, idle_seconds: Int
    let signing_algorithm: Application.SigningAlgorithm
    let created_at, updated_at: Date
    /// Only in the response that issues the secret.
    var client_secret: String?

    init(_ application: Application) {
        (id, name, kind) = (application.id, application.name, application.kind)
        (redirect_uris, logout_uris, bundle_ids) = (application.redirectURIs, application.logoutURIs, application.bundleIDs)
        (backchannel_logout_uri, login_url) = (application.backchannelLogoutURI, application.loginURL)
        frontchannel_logout_uri = application.frontchannelLogoutURI
        frontchannel_logout_session_required = application.hasFrontchannelSession
        (requires_pkce, requires_offline_access) = (application.requiresPKCE, application.requiresOfflineAccess)
        allows_development_uris = application.allowsDevelopmentURIs
        returns_tokens_in_url = application.returnsTokensInURL
        (requires_pushed_requests, requires_dpop) = (application.requiresPushedRequests, application.requiresDPoP)
        (allows_device_grant, is_third_party) = (application.allowsDeviceGrant, application.isThirdParty)
        (sign_in_page, requires_name) = (application.signInPage, application.requiresName)
        (token_endpoint_auth_method, jwks, jwks_uri) = (application.authMethod, application.keys, application.jwksURI)
        access_token_seconds = application.accessTokenSeconds
        (session_seconds, idle_seconds) = (application.sessionSeconds, application.idleSeconds)
        signing_algorithm = application.signingAlgorithm
        (created_at, updated_at) = (application.createdAt, application.updatedAt)
    }

    /// - Parameter secret: the new secret.
    init(_ application: Application, showing secret: Secret?) {
        self.init(application)
        client_secret = secret?.reveal()
    }
}
