import Tenancy
import Web

/// What an application asks for at the authorization endpoint, checked (RFC 6749, section 4.1.1; OpenID
/// Connect Core, section 3.1.2.1).
struct AuthorizationRequest: Sendable {
    let application: Application
    let redirectURI: String
    let state: String?
    let nonce: String?
    let scope: String
    let codeChallenge: String?

    /// The scopes that mean something here. Others are ignored (OpenID Connect Core, section 3.1.2.1).
    static let scopes = ["openid", "profile", "email", "offline_access"]

    /// - Parameter defaults: what stands in for parameters that were not sent.
    /// - Throws: an `ErrorPage` while we do not know whom to tell, a `RedirectedError` afterwards.
    init(_ form: Form, from tenant: TenantConfiguration, issuer: String, defaults: [String: String] = [:]) throws {
        (application, redirectURI) = try Self.destination(form, tenant)
        let state = form["state"]
        let redirectURI = redirectURI
        func refuse(_ error: RedirectedError.Code, _ description: String) -> RedirectedError {
            // A state too long to keep is too long to send back.
            RedirectedError(error, description, to: redirectURI, state: state.flatMap { $0.utf8.count <= 1024 ? $0 : nil }, issuer: issuer)
        }

        guard form["request"] == nil else { throw refuse(.requestNotSupported, "Request objects are not supported.") }
        guard form["request_uri"] == nil else { throw refuse(.requestURINotSupported, "Request objects are not supported.") }
        guard let responseType = form["response_type"] ?? defaults["response_type"]
        else { throw refuse(.invalidRequest, "response_type is missing.") }
        guard responseType == "code" else { throw refuse(.unsupportedResponseType, "response_type must be code.") }
        guard (form["response_mode"] ?? "query") == "query" else { throw refuse(.invalidRequest, "response_mode must be query.") }
        // There is no login of ours that could be reused silently.
        guard form["prompt"] != "none" else { throw refuse(.loginRequired, "The user must sign in with Apple.") }
        guard (state ?? "").utf8.count <= 1024 else { throw refuse(.invalidRequest, "state is longer than 1024 bytes.") }
        nonce = form["nonce"]
        guard (nonce ?? "").utf8.count <= 512 else { throw refuse(.invalidRequest, "nonce is longer than 512 bytes.") }

        let asked = (form["scope"] ?? defaults["scope"] ?? "").split(separator: " ").map(String.init)
        scope = Self.scopes.filter(asked.contains).joined(separator: " ")

        codeChallenge = form["code_challenge"]
        if let codeChallenge {
            guard form["code_challenge_method"] == "S256" else { throw refuse(.invalidRequest, "code_challenge_method must be S256.") }
            guard PKCE.isChallenge(codeChallenge)
            else { throw refuse(.invalidRequest, "code_challenge must be 43 characters of base64url.") }
        } else if application.requiresPKCE || form["code_challenge_method"] != nil {
            throw refuse(.invalidRequest, "code_challenge is missing: this application must use PKCE with S256.")
        }
        self.state = state
    }

    /// Where answers go. Before this is certain, nothing may be redirected anywhere.
    private static func destination(_ form: Form, _ tenant: TenantConfiguration) throws(ErrorPage) -> (Application, String) {
        guard let client = form["client_id"], let id = ID<Application>(client), let application = tenant.applications[id]
        else { throw .unknownApplication }
        guard application.kind != .machine else { throw .signsNobodyIn }
        guard let uri = form["redirect_uri"] else { throw .redirectURIMissing }
        guard application.mayRedirect(to: uri) else { throw .redirectURINotRegistered }
        return (application, uri)
    }
}
