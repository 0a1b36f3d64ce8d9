import Tenancy

extension AuthorizationRequest {
    /// A request for the tokens themselves in the URL of the redirect, instead of a code. Some command-line clients of other products can
    /// receive them only there. There is no code to protect, so there is no PKCE.
    ///
    /// URLs end up in logs. So the application must have opted in (`returns_tokens_in_url`), and the tokens go only to its registered URIs,
    /// or to loopback if it is registered for it.
    /// - Throws: an `ErrorPage` until the return address is certain, a `RedirectedError` afterwards.
    package init(tokensTo uri: String?, state: String?, of application: Application, issuer: String) throws {
        guard application.kind != .machine else { throw ErrorPage.signsNobodyIn }
        guard let uri else { throw ErrorPage.redirectURIMissing.leading(to: application) }
        guard application.mayReceiveTokens(at: uri) else { throw ErrorPage.redirectURINotRegistered(uri, of: application, issuer: issuer) }
        guard (state ?? "").utf8.count <= Self.longestState else { throw ErrorPage.stateTooLong.leading(to: application) }
        returnAddress = ReturnAddress(redirectURI: uri, state: state, issuer: issuer)
        guard !application.kind.isConfidential
        else { throw RedirectedError(.unauthorizedClient, Self.withSecret, to: returnAddress) }
        guard application.returnsTokensInURL
        else { throw RedirectedError(.unauthorizedClient, Self.withoutConsent, to: returnAddress) }
        guard !application.isThirdParty
        else { throw RedirectedError(.unauthorizedClient, Self.tokensOfThirdParty, to: returnAddress) }
        (self.application, scope, apis) = (application, Scope.all, [])
        guard !application.requiresPushedRequests
        else { throw RedirectedError(.invalidRequest, Self.notPushed, to: returnAddress) }
        (nonce, codeChallenge, maxAge, key) = (nil, nil, nil, nil)
        (prompt, hint, purpose, asksConsent) = (.apple, nil, nil, false)
    }

    private static let withSecret =
        "An application with a secret cannot receive tokens in a URL. Register an application of kind native or spa for this client."
    /// The refusal of an application that has not opted in, or has withdrawn it during a login.
    package static let withoutConsent =
        "This application does not allow tokens in a URL. If the client needs them, set returns_tokens_in_url to true."
    /// The same for an application that belongs to a third party now.
    package static let tokensOfThirdParty =
        "An application of a third party cannot receive tokens in a URL. Use the tenant's authorization endpoint, which asks the user."
}
