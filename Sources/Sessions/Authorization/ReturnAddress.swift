import Encoding
package import Hummingbird
import Pages
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

    /// - Parameters:
    ///   - request: The request of the browser, which names the language of a page.
    ///   - language: The tag of the language that the person asked for, if the address of the request does not have it.
    package func answer(
        _ parameters: [(String, String)], for request: Request, in language: String? = nil, cookies: [String] = []
    ) -> Response {
        switch mode {
        case .query:
            .redirect(to: redirectURI, adding: complete(parameters), cookies: cookies)
        case .form_post:
            FormPostPage(action: redirectURI, at: RedirectURI.origin(of: redirectURI), fields: complete(parameters))
                .response(for: request, in: language, cookies: cookies)
        }
    }

    /// The redirect URI with the parameters of a response.
    func url(with parameters: [(String, String)]) -> String {
        Self.url(redirectURI, with: complete(parameters))
    }

    private func complete(_ parameters: [(String, String)]) -> [(String, String)] {
        parameters + (state.map { [("state", $0)] } ?? []) + [("iss", issuer)]
    }

    static func url(_ uri: String, with parameters: [(String, String)]) -> String {
        let query = parameters.map { name, value in "\(name)=\(Form.encode(value))" }.joined(separator: "&")
        return uri + (uri.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + query
    }

    /// Whether a browser can post to this address. A private-use scheme takes no body. A page policy that allows posts to an IPv6 address
    /// cannot be written (Content Security Policy Level 3, section 2.3.1).
    static func takesPosts(_ redirectURI: String) -> Bool {
        RedirectURI.origin(of: redirectURI)?.contains("[") == false
    }
}
