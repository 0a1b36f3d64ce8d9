package import Hummingbird
import Tenancy
import Web

/// Where an application gets the answer to its authorization request, and in what form. Each answer, a refusal too, has the
/// request's state and our issuer (RFC 6749, section 4.1.2; RFC 9207).
package struct ReturnAddress: Sendable {
    /// How the answer's parameters travel (OAuth 2.0 Multiple Response Types, section 2.1; OAuth 2.0 Form Post Response Mode).
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

    package func answer(_ parameters: [(String, String)], cookies: [String] = []) -> Response {
        let parameters = parameters + (state.map { [("state", $0)] } ?? []) + [("iss", issuer)]
        switch mode {
        case .query:
            return .redirect(to: redirectURI, adding: parameters, cookies: cookies)
        case .form_post:
            return FormPostPage(action: redirectURI, fields: parameters).response(cookies: cookies)
        }
    }

    /// Whether a browser can post there. A scheme of a program's own takes no body, and a policy that lets a page post to an
    /// address of IPv6 cannot be written (Content Security Policy Level 3, section 2.3.1).
    static func takesPosts(_ redirectURI: String) -> Bool {
        RedirectURI.origin(of: redirectURI)?.contains("[") == false
    }
}
