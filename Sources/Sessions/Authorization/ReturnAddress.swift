package import Hummingbird
import Tenancy
import Web

/// The address and form of the response to an authorization request. Each response, including a refusal, contains the request's state and
/// the issuer (RFC 6749, section 4.1.2; RFC 9207).
package struct ReturnAddress: Sendable {
    /// How the response's parameters are sent (OAuth 2.0 Multiple Response Types, section 2.1; OAuth 2.0 Form Post Response Mode).
    package enum Mode: String, CaseIterable, Sendable {
        case query, form_post
    }

    package let redirectURI: String
    package var mode = Mode.query
    package let state: String?
    let issuer: String

    package init(redirectURI: String, mode: Mode = .query, state: String?, issuer: String) {
        (self.redirectURI, self.mode, self.state, self.issuer) = (redirectURI, mode, state, issuer)
    }

    /// - Parameter request: The request of the browser, which names the language of a page.
    package func answer(_ parameters: [(String, String)], for request: Request, cookies: [String] = []) -> Response {
        let parameters = parameters + (state.map { [("state", $0)] } ?? []) + [("iss", issuer)]
        switch mode {
        case .query:
            return .redirect(to: redirectURI, adding: parameters, cookies: cookies)
        case .form_post:
            return FormPostPage(action: redirectURI, fields: parameters).response(for: request, cookies: cookies)
        }
    }

    /// Whether a browser can post to this address. A private-use scheme takes no body. A page policy that allows posts to an IPv6 address
    /// cannot be written (Content Security Policy Level 3, section 2.3.1).
    static func takesPosts(_ redirectURI: String) -> Bool {
        RedirectURI.origin(of: redirectURI)?.contains("[") == false
    }
}
