enum Scope: String, CaseIterable, Sendable {
    case name, email
}

/// An authorization request for which Apple would show its sheet.
///
/// Apple's page "Incorporating Sign in with Apple into other platforms" lists the parameters. Unknown parameters are
/// ignored.
struct AuthorizeRequest: Sendable {
    enum ResponseMode: String, CaseIterable, Sendable {
        case query, fragment
        case formPost = "form_post"
    }

    let client: ServicesID
    let redirectURI: String
    let wantsIDToken: Bool
    let responseMode: ResponseMode
    let scopes: Set<Scope>
    let state: String?
    let nonce: String?

    /// An error that Apple shows on its own page. It is not sent to the redirect URI.
    struct Refusal: Error {
        enum Code: String {
            case invalidRequest = "invalid_request"
            case invalidClient = "invalid_client"
            case invalidScope = "invalid_scope"
            case unsupportedResponseType = "unsupported_response_type"
        }

        let code: Code
        /// The reason for developers, in the simulator's words.
        let reason: String

        init(_ code: Code, _ reason: String) {
            self.code = code
            self.reason = reason
        }
    }

    init(_ form: Form, in registry: Registry, allowsLoopback: Bool) throws(Refusal) {
        guard let clientID = form["client_id"] else { throw Refusal(.invalidRequest, "client_id is missing") }
        switch registry.client(clientID) {
        case .website(let servicesID): client = servicesID
        case .app: throw Refusal(.invalidClient, "client_id is a bundle ID, but websites use a Services ID")
        case nil: throw Refusal(.invalidClient, "client_id is not a registered Services ID")
        }
        guard let redirectURI = form["redirect_uri"] else { throw Refusal(.invalidRequest, "redirect_uri is missing") }
        guard client.returnURLs.contains(where: { $0.isExactly(redirectURI) }) else {
            throw Refusal(.invalidRequest, "redirect_uri is not registered for this Services ID as this exact string")
        }
        // A registry file may have been read with other rules.
        if let reason = ReturnURL.refusal(of: redirectURI, allowsLoopback: allowsLoopback) {
            throw Refusal(.invalidRequest, "redirect_uri \(reason)")
        }
        self.redirectURI = redirectURI
        wantsIDToken = try Self.wantsIDToken(form["response_type"])
        scopes = try Self.scopes(form["scope"])
        responseMode = try Self.responseMode(form["response_mode"], wantsIDToken: wantsIDToken, hasScope: !scopes.isEmpty)
        state = form["state"]
        nonce = form["nonce"]
    }

    private static func wantsIDToken(_ responseType: String?) throws(Refusal) -> Bool {
        guard let responseType else { throw Refusal(.invalidRequest, "response_type is missing") }
        switch Set(responseType.words) {
        case ["code"]: return false
        case ["code", "id_token"]: return true
        default: throw Refusal(.unsupportedResponseType, "response_type must be code or code id_token")
        }
    }

    private static func scopes(_ scope: String?) throws(Refusal) -> Set<Scope> {
        var scopes: Set<Scope> = []
        for word in scope?.words ?? [] {
            guard let scope = Scope(rawValue: String(word)) else { throw Refusal(.invalidScope, "scope may be name, email or both") }
            scopes.insert(scope)
        }
        return scopes
    }

    private static func responseMode(
        _ responseMode: String?, wantsIDToken: Bool, hasScope: Bool
    ) throws(Refusal) -> ResponseMode {
        // OAuth 2.0 Multiple Response Type Encoding Practices, section 2.1: the default of a hybrid type is fragment.
        let fallback = wantsIDToken ? ResponseMode.fragment : .query
        guard let mode = responseMode.map(ResponseMode.init(rawValue:)) ?? fallback else {
            throw Refusal(.invalidRequest, "response_mode must be query, fragment or form_post")
        }
        if hasScope && mode != .formPost { throw Refusal(.invalidRequest, "response_mode must be form_post when scope is set") }
        if wantsIDToken && mode == .query { throw Refusal(.invalidRequest, "response_mode must be fragment or form_post for an id_token") }
        return mode
    }
}
