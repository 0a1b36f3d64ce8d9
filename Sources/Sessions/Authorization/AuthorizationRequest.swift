package import Access
import Tenancy
package import Web

/// What an application asks for at the authorization endpoint, checked (RFC 6749, section 4.1.1; OpenID
/// Connect Core, section 3.1.2.1).
///
/// What is not looked at here is taken and has no effect, as OpenID Connect wants it: Apple has no parameter that `login_hint`,
/// `id_token_hint`, `display`, `ui_locales`, `claims_locales` and `acr_values` could become.
package struct AuthorizationRequest: Sendable {
    package let application: Application
    package let returnAddress: ReturnAddress
    package let nonce: String?
    package let scope: String
    package let codeChallenge: String?
    /// How long ago, in seconds, Apple may have authenticated the user.
    package let maxAge: Int?

    static let prompts = ["none", "login", "consent", "select_account"]
    /// In bytes.
    package static let longestState = 4096
    /// In bytes, percent-encoded. A longer one does not go back even with an error, because a response header has up to 16 KiB.
    /// `longestState` bytes always fit.
    static let longestStateInAnswer = 12 * 1024

    /// Parameters that may not be ignored where they are not understood (OpenID Connect Core, sections 6 and 7.2.1).
    private static let unsupported: [(String, RedirectedError.Code)] = [
        ("request", .requestNotSupported), ("request_uri", .requestURINotSupported), ("registration", .registrationNotSupported),
    ]

    /// - Parameters:
    ///   - applications: the tenant's.
    ///   - defaults: what stands in for parameters that were not sent.
    /// - Throws: an `ErrorPage` while we do not know whom to tell, a `RedirectedError` afterwards.
    package init(_ form: Form, from applications: [ID<Application>: Application], issuer: String, defaults: [String: String] = [:]) throws {
        let (application, returnAddress) = try Self.destination(form, applications, issuer: issuer)
        func refuse(_ error: RedirectedError.Code, _ description: String) -> RedirectedError {
            RedirectedError(error, description, to: returnAddress)
        }

        guard (returnAddress.state ?? "").utf8.count <= Self.longestState
        else { throw refuse(.invalidRequest, "state is longer than \(Self.longestState) bytes. Send a shorter one.") }
        guard !(form["response_mode"] ?? "").isSame(as: ReturnAddress.Mode.form_post.rawValue) || Self.isFormText(returnAddress.state)
        else {
            throw refuse(
                .invalidRequest, "state has a control character. A form cannot carry it. Send another state, or use response_mode query.")
        }
        guard (form["response_mode"] ?? "query").isSame(as: returnAddress.mode.rawValue)
        else { throw refuse(.invalidRequest, "response_mode must be query, or form_post where a browser can post to the redirect URI.") }
        for (parameter, code) in Self.unsupported where form[parameter] != nil { throw refuse(code, "\(parameter) is not supported.") }
        guard let responseType = form["response_type"] ?? defaults["response_type"]
        else { throw refuse(.invalidRequest, "response_type is missing.") }
        guard responseType == "code" else { throw refuse(.unsupportedResponseType, "response_type must be code.") }

        let prompts = (form["prompt"] ?? "").parts(at: " ")
        guard prompts.allSatisfy({ Self.prompts.has($0) })
        else { throw refuse(.invalidRequest, "prompt must be made of \(Self.prompts.joined(separator: ", ")).") }
        if prompts.has("none") {
            guard prompts.count == 1 else { throw refuse(.invalidRequest, "prompt none goes with no other.") }
            // There is no login of ours that could be reused silently.
            throw refuse(.loginRequired, "The user must sign in with Apple.")
        }
        maxAge = form["max_age"].flatMap { $0.utf8.allSatisfy(\.isDigit) ? Int($0) : nil }
        guard (form["max_age"] == nil) == (maxAge == nil)
        else { throw refuse(.invalidRequest, "max_age must be a whole number of seconds, not less than 0.") }
        nonce = form["nonce"]
        guard (nonce ?? "").utf8.count <= 512 else { throw refuse(.invalidRequest, "nonce is longer than 512 bytes.") }

        guard let scope = Scope.granted(for: form["scope"]) else { throw refuse(.invalidScope, Scope.refusal) }
        self.scope = scope
        if let refusal = TokenTarget.refusal(of: form, TokenTarget.resource, issuer: issuer) { throw refuse(.invalidTarget, refusal) }

        codeChallenge = form["code_challenge"]
        if let codeChallenge {
            guard form["code_challenge_method"] == "S256"
            else { throw refuse(.invalidRequest, "code_challenge_method must be S256. \(PKCE.advice(to: application, issuer: issuer))") }
            guard PKCE.isChallenge(codeChallenge)
            else { throw refuse(.invalidRequest, "code_challenge must be 43 characters of base64url.") }
        } else if application.requiresPKCE || form["code_challenge_method"] != nil {
            throw refuse(.invalidRequest, "code_challenge is missing. \(PKCE.advice(to: application, issuer: issuer))")
        }
        (self.application, self.returnAddress) = (application, returnAddress)
    }

    /// Where answers go. Before this is certain, nothing may be redirected anywhere.
    private static func destination(
        _ form: Form, _ applications: [ID<Application>: Application], issuer: String
    ) throws(ErrorPage) -> (Application, ReturnAddress) {
        guard let client = form["client_id"], let id = ID<Application>(client), let application = applications[id]
        else { throw .unknownApplication }
        guard application.kind != .machine else { throw .signsNobodyIn }
        guard let uri = form["redirect_uri"] else { throw .redirectURIMissing }
        guard application.mayRedirect(to: uri) else { throw .redirectURINotRegistered(uri, of: application) }

        // Clients take an error without their state for an attack (RFC 6749, section 4.1.2.1).
        guard Form.encode(form["state"] ?? "").utf8.count <= longestStateInAnswer else { throw .stateTooLong }
        let asked = form["response_mode"].flatMap(ReturnAddress.Mode.init) ?? .query
        // A state that a form would change goes back by a redirect, which does not.
        let canPost = ReturnAddress.takesPosts(uri) && isFormText(form["state"])
        let mode = asked == .form_post && !canPost ? .query : asked
        return (application, ReturnAddress(redirectURI: uri, mode: mode, state: form["state"], issuer: issuer))
    }

    /// Whether a form carries a text as it is: browsers change control characters.
    private static func isFormText(_ text: String?) -> Bool {
        (text ?? "").utf8.allSatisfy { $0 >= 0x20 }
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
