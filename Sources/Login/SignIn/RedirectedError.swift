import HTTPTypes
import Hummingbird
import Web

/// A refusal that the application is told, through the browser (RFC 6749, section 4.1.2.1).
struct RedirectedError: Error, Sendable {
    enum Code: String {
        case invalidRequest = "invalid_request"
        case accessDenied = "access_denied"
        case unsupportedResponseType = "unsupported_response_type"
        case serverError = "server_error"
        case temporarilyUnavailable = "temporarily_unavailable"
        case loginRequired = "login_required"
        case requestNotSupported = "request_not_supported"
        case requestURINotSupported = "request_uri_not_supported"
    }

    let code: Code
    let description: String
    let redirectURI: String
    let state: String?
    let issuer: String
    /// Cookies to set on the way, in the form of `Set-Cookie`.
    var cookies: [String] = []

    init(_ code: Code, _ description: String, to redirectURI: String, state: String?, issuer: String) {
        (self.code, self.description, self.redirectURI, self.state, self.issuer) = (code, description, redirectURI, state, issuer)
    }
}

extension RedirectedError: HTTPResponseError {
    var status: HTTPResponse.Status { .seeOther }

    func response(from request: Request, context: some RequestContext) throws -> Response {
        (context as? any RecordedContext)?.record.note(outcome: code.rawValue)
        return .redirect(
            to: redirectURI,
            adding: [("error", code.rawValue), ("error_description", description), ("state", state), ("iss", issuer)],
            cookies: cookies)
    }
}

extension Response {
    /// Sends the browser back to an application: 303, so that a POST becomes a GET, and never cached.
    static func redirect(to uri: String, adding parameters: [(String, String?)], cookies: [String] = []) -> Response {
        let query = parameters.compactMap { name, value in value.map { "\(name)=\(Form.encode($0))" } }.joined(separator: "&")
        return .redirect(to: uri + (uri.contains("?") ? "&" : "?") + query, status: .seeOther, cookies: cookies)
    }

    static func redirect(to location: String, status: HTTPResponse.Status, cookies: [String]) -> Response {
        var headers: HTTPFields = [.location: location, .cacheControl: "no-store", .referrerPolicy: "no-referrer", .contentLength: "0"]
        for cookie in cookies { headers.append(HTTPField(name: .setCookie, value: cookie)) }
        return Response(status: status, headers: headers)
    }
}

extension HTTPField.Name {
    static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
}
