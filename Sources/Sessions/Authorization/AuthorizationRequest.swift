package import APIs
package import Access
package import ClientKeys
package import Encoding
import Tenancy
package import Users
import Web

/// An application's request to the authorization endpoint, after the checks (RFC 6749, section 4.1.1; OpenID Connect Core, section
/// 3.1.2.1).
///
/// Other parameters are accepted without effect, as OpenID Connect requires. Apple has no parameter for `login_hint`, `display`,
/// `claims_locales` and `acr_values`. `ui_locales` is for the pages of this server (`PageFrame`). `id_token_hint` has an effect only if the
/// tenant's applications share one sign-in.
package struct AuthorizationRequest: Sendable {
    package let application: Application
    package let returnAddress: ReturnAddress
    package let nonce: String?
    package let scope: String
    /// The APIs that the sign-in is for, in the order of the request.
    package let apis: [ID<API>]
    package let codeChallenge: String?
    /// The key that the token request must prove (RFC 9449, section 10).
    package let key: KeyThumbprint?
    /// The maximum age of Apple's authentication of the user, in seconds.
    package let maxAge: Int?
    package let prompt: Prompt
    /// Whether a page asks the user about the application of a third party in any case (`prompt=consent`).
    package let asksConsent: Bool
    /// The user that the application expects.
    package let hint: Hint?
    /// The purpose of the sign-in page. Nil if the request does not ask for the page.
    package let purpose: Purpose?

    /// `id_token_hint`.
    package enum Hint: Sendable {
        case idToken(String)
        /// The user of an id_token that this server verified when the request was pushed.
        case user(ID<User>)
    }

    /// How the user may sign in.
    package enum Prompt: Sendable {
        /// Only with a sign-in that the browser has.
        case none
        /// Only with Apple.
        case apple
        /// In both ways.
        case any
        /// In both ways, and the user must allow the application of a third party again.
        case consent
    }

    /// The part of the sign-in page that a request asks for.
    package enum Purpose: Sendable {
        case signIn, signUp
        /// With another account than the last one.
        case chooseAccount

        /// - Parameters:
        ///   - hint: `screen_hint`. `sign-up` is WorkOS's word, and `signup` Auth0's. Each other value means a sign-in.
        ///   - prompts: the values of `prompt`.
        init?(hint: String?, prompts: [Substring]) {
            if let hint, ["sign-up", "signup"].has(hint) {
                self = .signUp
            } else if prompts.has("select_account") {
                self = .chooseAccount
            } else if hint != nil || prompts.has("login") {
                self = .signIn
            } else {
                return nil
            }
        }
    }

    static let prompts = ["none", "login", "consent", "select_account"]
    /// In bytes.
    package static let longestState = 4096
    /// In bytes, percent-encoded. A longer state is not returned even with an error, because a response header has at most 16 KiB. A state
    /// of `longestState` bytes always fits.
    static let longestStateInAnswer = 12 * 1024

    /// Parameters that a server must not ignore if it does not support them (OpenID Connect Core, sections 6 and 7.2.1).
    private static let unsupported: [(String, RedirectedError.Code)] = [
        ("request", .requestNotSupported), ("request_uri", .requestURINotSupported), ("registration", .registrationNotSupported),
    ]

    /// - Parameters:
    ///   - applications: the tenant's applications.
    ///   - apis: the tenant's APIs, if the request names a target.
    ///   - otherIssuers: the tenant's issuers at its other addresses.
    ///   - slug: the tenant's slug, for the advice to a developer.
    ///   - defaults: the values of missing parameters.
    ///   - isPushed: whether the application sent the request directly (RFC 9126).
    ///   - hasSingleSignOn: whether the tenant's applications share one sign-in.
    /// - Throws: an `ErrorPage` until the return address is certain, a `RedirectedError` afterwards.
    package init(
        _ form: Form, from applications: [ID<Application>: Application], apis: [API] = [], issuer: String,
        otherIssuers: @autoclosure () -> [String] = [], slug: String = "TENANT", defaults: [String: String] = [:], isPushed: Bool = false,
        hasSingleSignOn: Bool = false
    ) throws {
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
        guard isPushed || !application.requiresPushedRequests else { throw refuse(.invalidRequest, Self.notPushed) }
        guard let responseType = form["response_type"] ?? defaults["response_type"]
        else { throw refuse(.invalidRequest, "response_type is missing.") }
        guard responseType == "code" else { throw refuse(.unsupportedResponseType, "response_type must be code.") }

        let prompts = (form["prompt"] ?? "").parts(at: " ")
        guard prompts.allSatisfy({ Self.prompts.has($0) })
        else { throw refuse(.invalidRequest, "prompt must contain only \(Self.prompts.joined(separator: ", ")).") }
        if prompts.has("none") {
            guard prompts.count == 1 else { throw refuse(.invalidRequest, "prompt none must be the only value.") }
            // Without single sign-on, there is no sign-in of the browser that could be reused silently.
            guard hasSingleSignOn else { throw refuse(.loginRequired, Self.signInRequired) }
        }
        let isAskedAgain = hasSingleSignOn && application.isThirdParty && prompts.allSatisfy { $0.isSame(as: "consent") }
        prompt = prompts.has("none") ? .none : prompts.isEmpty ? .any : isAskedAgain ? .consent : .apple
        asksConsent = application.isThirdParty && prompts.has("consent")
        hint = !hasSingleSignOn ? nil : form["id_token_hint"].map { isPushed ? ID<User>($0).map(Hint.user) ?? .idToken($0) : .idToken($0) }
        purpose = Purpose(hint: form["screen_hint"], prompts: prompts)
        maxAge = form["max_age"].flatMap { $0.utf8.allSatisfy(\.isDigit) ? Int($0) : nil }
        guard (form["max_age"] == nil) == (maxAge == nil)
        else { throw refuse(.invalidRequest, "max_age must be a whole number of seconds, at least 0.") }
        nonce = form["nonce"]
        guard (nonce ?? "").utf8.count <= 512 else { throw refuse(.invalidRequest, "nonce is longer than 512 bytes.") }

        let named: [TokenTarget.NamedAPI]
        do throws(TokenTarget.Refusal) {
            named = try TokenTarget.apis(
                named: form, TokenTarget.resource, by: application.id, among: apis, issuers: [issuer] + otherIssuers())
        } catch { throw refuse(.invalidTarget, error.description) }
        guard let scope = Scope.granted(for: form["scope"], apis: named) else { throw refuse(.invalidScope, Scope.refusal) }
        guard scope.utf8.count <= Scope.longest
        else { throw refuse(.invalidScope, "The granted scope is longer than \(Scope.longest) bytes. Request fewer scopes.") }
        (self.scope, self.apis) = (scope, named.map(\.api.id))

        codeChallenge = form["code_challenge"]
        if let codeChallenge {
            guard form["code_challenge_method"] == "S256"
            else { throw refuse(.invalidRequest, "code_challenge_method must be S256. \(PKCE.advice(to: application, of: slug))") }
            guard PKCE.isChallenge(codeChallenge)
            else { throw refuse(.invalidRequest, "code_challenge must be 43 characters of base64url.") }
        } else if application.requiresPKCE || form["code_challenge_method"] != nil {
            throw refuse(.invalidRequest, "code_challenge is missing. \(PKCE.advice(to: application, of: slug))")
        }
        key = form["dpop_jkt"].flatMap { KeyThumbprint($0) }
        guard (form["dpop_jkt"] == nil) == (key == nil)
        else { throw refuse(.invalidRequest, "dpop_jkt must be the SHA-256 thumbprint of a key: 43 characters of base64url.") }
        (self.application, self.returnAddress) = (application, returnAddress)
    }

    package static let signInRequired = "The user must sign in with Apple."
    /// The refusal of a request that the application sent through the browser.
    static let notPushed = "This application must push its authorization requests (RFC 9126). Send request_uri and client_id only."

    /// The application and the address for responses. Until these are certain, nothing may be redirected.
    private static func destination(
        _ form: Form, _ applications: [ID<Application>: Application], issuer: String
    ) throws(ErrorPage) -> (Application, ReturnAddress) {
        guard let client = form["client_id"], let id = ID<Application>(client), let application = applications[id]
        else { throw .unknownApplication }
        guard application.kind != .machine else { throw .signsNobodyIn }
        guard let uri = form["redirect_uri"] else { throw ErrorPage.redirectURIMissing.leading(to: application) }
        guard application.mayRedirect(to: uri) else { throw .redirectURINotRegistered(uri, of: application, issuer: issuer) }

        // Clients treat an error without their state as an attack (RFC 6749, section 4.1.2.1).
        guard Form.encode(form["state"] ?? "").utf8.count <= longestStateInAnswer
        else { throw ErrorPage.stateTooLong.leading(to: application) }
        let asked = form["response_mode"].flatMap(ReturnAddress.Mode.init) ?? .query
        // A form would change this state, so it is returned by a redirect.
        let canPost = ReturnAddress.takesPosts(uri) && isFormText(form["state"])
        let mode = asked == .form_post && !canPost ? .query : asked
        return (application, ReturnAddress(redirectURI: uri, mode: mode, state: form["state"], issuer: issuer))
    }

    /// Whether a form transports a text unchanged. Browsers change control characters.
    private static func isFormText(_ text: String?) -> Bool {
        (text ?? "").utf8.allSatisfy { $0 >= 0x20 }
    }
}

extension AuthorizationRequest {
    /// The sign-in of a user who decides about a device (RFC 8628). Its response goes to a page of this server, which needs no PKCE, and the
    /// device's id_token has no nonce.
    package init(forDeviceOf application: Application, at address: ReturnAddress, scope: String, apis: [ID<API>]) {
        (self.application, returnAddress, self.scope, self.apis) = (application, address, scope, apis)
        (nonce, codeChallenge, maxAge, key) = (nil, nil, nil, nil)
        (prompt, hint, purpose, asksConsent) = (.apple, nil, nil, false)
    }

    /// A request that was checked before, and waited for a decision of the person.
    package init(
        of application: Application, at address: ReturnAddress, scope: String, apis: [ID<API>], nonce: String?, codeChallenge: String?,
        key: KeyThumbprint?, maxAge: Int?, asksConsent: Bool = false
    ) {
        (self.application, returnAddress, self.scope, self.apis) = (application, address, scope, apis)
        (self.nonce, self.codeChallenge, self.key, self.maxAge) = (nonce, codeChallenge, key, maxAge)
        (prompt, hint, purpose, self.asksConsent) = (.any, nil, nil, asksConsent)
    }

    /// The request that led to a code, which waited for an answer of the person.
    package init(
        before code: AuthorizationCode, from application: Application, at address: ReturnAddress, maxAge: Int?, asksConsent: Bool
    ) {
        self.init(
            of: application, at: address, scope: code.scope, apis: code.apis, nonce: code.nonce, codeChallenge: code.codeChallenge,
            key: code.key, maxAge: maxAge, asksConsent: asksConsent)
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
