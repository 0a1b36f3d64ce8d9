package import HTTPTypes
package import Hummingbird
import Web

/// A refusal that the application receives through the browser (RFC 6749, section 4.1.2.1; OpenID Connect Core, section 3.1.2.6).
///
/// In a log, it is its description, because the address contains the state of the application.
package struct RedirectedError: Error, Sendable, CustomStringConvertible {
    package enum Code: String {
        case invalidRequest = "invalid_request"
        case unauthorizedClient = "unauthorized_client"
        case accessDenied = "access_denied"
        case unsupportedResponseType = "unsupported_response_type"
        case invalidScope = "invalid_scope"
        /// RFC 8707, section 2.
        case invalidTarget = "invalid_target"
        case serverError = "server_error"
        case temporarilyUnavailable = "temporarily_unavailable"
        case loginRequired = "login_required"
        case consentRequired = "consent_required"
        case interactionRequired = "interaction_required"
        case requestNotSupported = "request_not_supported"
        case requestURINotSupported = "request_uri_not_supported"
        case registrationNotSupported = "registration_not_supported"
    }

    package let code: Code
    package let description: String
    let returnAddress: ReturnAddress
    /// Cookies of the response, in the form of `Set-Cookie`.
    package var cookies: [String] = []

    /// The address that brings the error to the application. Nil if the application wants it in a form.
    package var location: String? {
        returnAddress.mode == .query ? returnAddress.url(with: parameters) : nil
    }

    fileprivate var parameters: [(String, String)] { [("error", code.rawValue), ("error_description", description)] }

    package init(_ code: Code, _ description: String, to returnAddress: ReturnAddress) {
        (self.code, self.description, self.returnAddress) = (code, description, returnAddress)
    }
}

extension OAuthError {
    /// The same refusal for an application that sent its request directly (RFC 9126, section 2.3).
    package init(_ refusal: RedirectedError) {
        self.init(Code(rawValue: refusal.code.rawValue) ?? .invalidRequest, refusal.description)
    }
}

extension RedirectedError: HTTPResponseError {
    package var status: HTTPResponse.Status { returnAddress.mode == .query ? .seeOther : .ok }

    package func response(from request: Request, context: some RequestContext) throws -> Response {
        let record = (context as? any RecordedContext)?.record
        record?.note(outcome: code.rawValue)
        return returnAddress.answer(parameters, for: request, in: record?.current.language, cookies: cookies)
    }
}

extension Response {
    /// Sends the browser back to an application. The status 303 turns a POST into a GET. The response is never cached and sends no
    /// referrer, because Espalier's addresses contain states and codes.
    package static func redirect(to uri: String, adding parameters: [(String, String)], cookies: [String] = []) -> Response {
        .redirect(to: ReturnAddress.url(uri, with: parameters), status: .seeOther, cookies: cookies)
    }

    package static func redirect(to location: String, status: HTTPResponse.Status, cookies: [String]) -> Response {
        let headers: HTTPFields = [.location: location, .cacheControl: "no-store", .referrerPolicy: "no-referrer", .contentLength: "0"]
        return Response(status: status, headers: headers).setting(cookies)
    }
}
