import Access
import ClientKeys
import Foundation
import Sealing
import Sessions
import Tenancy

/// The client information response (RFC 7591, section 3.2.1; RFC 7592, section 3): all registered metadata, including the values that
/// Espalier has chosen.
struct RegisteredClientReply: Encodable {
    let client_id: ID<Application>
    /// Only in the response that issues the secret.
    let client_secret: String?
    let client_id_issued_at: Int
    /// 0, because a secret does not expire. An administrator can roll it.
    let client_secret_expires_at: Int?
    let registration_access_token, registration_client_uri: String
    let client_name: String
    let application_type: String
    let redirect_uris, post_logout_redirect_uris: [String]
    let grant_types, response_types: [String]
    let token_endpoint_auth_method: String
    let scope: String?
    let subject_type: String?
    let id_token_signed_response_alg: String?
    /// Absent if false.
    let require_pushed_authorization_requests, dpop_bound_access_tokens: Bool?
    let jwks: PublicKeySet?
    let jwks_uri, backchannel_logout_uri: String?
    let backchannel_logout_session_required: Bool?
    let frontchannel_logout_uri: String?
    let frontchannel_logout_session_required: Bool?
    let initiate_login_uri: String?
    let client_uri, logo_uri, tos_uri, policy_uri: String?
    let contacts: [String]?
    let software_id, software_version: String?

    /// - Parameters:
    ///   - token: the registration access token.
    ///   - secret: the new secret.
    init(_ application: Application, _ details: ClientDetails, token: String, secret: Secret? = nil, issuer: String) {
        let signsIn = application.kind != .machine
        client_id = application.id
        client_secret = secret?.reveal()
        client_id_issued_at = Int(application.createdAt.timeIntervalSince1970)
        client_secret_expires_at = secret == nil ? nil : 0
        registration_access_token = token
        registration_client_uri = "\(issuer)/oauth2/register/\(application.id)"
        client_name = application.name
        application_type = details.application_type ?? (application.kind == .native ? "native" : "web")
        (redirect_uris, post_logout_redirect_uris) = (application.redirectURIs, application.logoutURIs)
        grant_types =
            signsIn
            ? [ClientMetadata.Grants.code] + (application.requiresOfflineAccess ? [] : [ClientMetadata.Grants.refresh])
                + (application.allowsDeviceGrant ? [ClientMetadata.Grants.device] : [])
            : [ClientMetadata.Grants.machine]
        response_types = signsIn ? ["code"] : []
        token_endpoint_auth_method =
            application.authMethod == .secret
            ? details.token_endpoint_auth_method ?? application.authMethod.rawValue : application.authMethod.rawValue
        // Each application may request them. An API's scopes come from its administrator.
        scope = signsIn ? Scope.all : nil
        subject_type = signsIn ? "public" : nil
        id_token_signed_response_alg = signsIn ? application.signingAlgorithm.rawValue : nil
        require_pushed_authorization_requests = application.requiresPushedRequests ? true : nil
        dpop_bound_access_tokens = application.requiresDPoP ? true : nil
        (jwks, jwks_uri) = (application.keys, application.jwksURI)
        backchannel_logout_uri = application.backchannelLogoutURI
        backchannel_logout_session_required = details.backchannel_logout_session_required
        frontchannel_logout_uri = application.frontchannelLogoutURI
        frontchannel_logout_session_required = application.frontchannelLogoutURI.map { _ in application.hasFrontchannelSession }
        initiate_login_uri = application.loginURL
        (client_uri, logo_uri, tos_uri, policy_uri) = (details.client_uri, details.logo_uri, details.tos_uri, details.policy_uri)
        contacts = details.contacts
        (software_id, software_version) = (details.software_id, details.software_version)
    }
}
