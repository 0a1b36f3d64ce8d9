import Encoding
package import HTTPTypes
package import Hummingbird
import Tenancy
import Web

/// The page for a person when a login fails and no application can be notified. It never redirects, because the target of the redirect is
/// in doubt (RFC 9700, section 4.11).
package struct ErrorPage: Error, Sendable {
    package let outcome: String
    package let status: HTTPResponse.Status
    let title: String
    let detail: String
    /// The next step, and the person who can take it.
    let remedy: String
    /// The subjects of the page, shown as text.
    var facts: [(name: String, value: String)] = []

    /// The text for an application that sent its request directly.
    package var explanation: String { "\(detail) \(remedy)" }

    package init(
        outcome: String, status: HTTPResponse.Status, title: String, detail: String, remedy: String,
        facts: [(name: String, value: String)] = []
    ) {
        (self.outcome, self.status, self.title, self.detail) = (outcome, status, title, detail)
        (self.remedy, self.facts) = (remedy, facts)
    }

    private static let startAgain = "Go back to the application and sign in again."

    package static let unknownTenant = ErrorPage(
        outcome: "unknown_tenant", status: .notFound, title: "Sign-in page not found",
        detail: "No sign-in is registered at this address.",
        remedy: "Check the address. If you followed a link, tell the person who gave it to you.")
    package static let unknownApplication = ErrorPage(
        outcome: "unknown_application", status: .badRequest, title: "Unknown application",
        detail: "The request's client_id is not the ID of a registered application.",
        remedy: "If you are its developer, use the client ID from its registration.")
    static let signsNobodyIn = ErrorPage(
        outcome: "signs_nobody_in", status: .badRequest, title: "This application does not support sign-in",
        detail: "The request's client_id belongs to an application of kind machine.",
        remedy: "If you are its developer, register an application of kind web, spa or native.")
    static let redirectURIMissing = ErrorPage(
        outcome: "redirect_uri_missing", status: .badRequest, title: "The return address is missing",
        detail: "The request has no redirect_uri.",
        remedy: "If you are its developer, send a registered redirect URI.")
    /// - Parameter uri: the request's URI. It is shown as text and is not a link.
    package static func redirectURINotRegistered(_ uri: String, of application: Application) -> ErrorPage {
        ErrorPage(
            outcome: "redirect_uri_not_registered", status: .badRequest, title: "The return address is not registered",
            detail: "The request's redirect_uri is not registered for this application.",
            remedy: """
                If you develop the application, \(registration(of: uri, in: "redirect_uris", application.redirectURIs, application)). \
                Otherwise, go back to the application and tell its developers.
                """,
            facts: [("Application", application.name), ("redirect_uri", shown(uri))])
    }

    /// The next step of a developer whose request has an address that is not registered.
    static func registration(of uri: String, in field: String, _ registered: [String], _ application: Application) -> String {
        // A registered wildcard does not equal itself.
        if registered.has(uri) { return "send the address of the page in place of the wildcard" }
        let step = "add this exact address to its \(field)"
        guard application.lacksDevelopmentURIs(for: uri, in: registered) else { return step }
        return "\(step), or set its allows_development_uris to true, which allows any port of localhost"
    }

    /// An address that a person can compare with another one. It is in ASCII, so that no letter looks like another and none reverses the
    /// text.
    static func shown(_ uri: String) -> String {
        let longest = 500
        let bytes = uri.utf8.prefix(longest).map { byte in
            (0x20...0x7E).contains(byte) ? String(UnicodeScalar(byte)) : Form.encode(byte: byte)
        }
        return bytes.joined() + (uri.utf8.count > longest ? "…" : "")
    }

    package static let pushedRequestUnreadable = ErrorPage(
        outcome: "pushed_request_unreadable", status: .badRequest, title: "This sign-in has expired",
        detail: "The request_uri is not one of this server and this application, or is older than one minute.", remedy: startAgain)
    package static let embedded = ErrorPage(
        outcome: "embedded", status: .badRequest, title: "This sign-in did not start",
        detail: "A page opened it in a frame, as an image or from a script. A sign-in needs the whole browser window.",
        remedy: """
            Go back to the application and sign in again. If you are its developer, send the whole window to the authorization endpoint.
            """)
    static let stateTooLong = ErrorPage(
        outcome: "state_too_long", status: .badRequest, title: "The request cannot be processed",
        detail: """
            The request's state is longer than \(AuthorizationRequest.longestStateInAnswer) bytes when it is percent-encoded, so no \
            response can return it to the application.
            """,
        remedy: "If you are its developer, send a state of at most \(AuthorizationRequest.longestState) bytes.")
    static let malformed = ErrorPage(
        outcome: "malformed", status: .badRequest, title: "The request could not be read",
        detail: "A parameter is malformed or appears more than once.", remedy: startAgain)
    package static let attemptUnreadable = ErrorPage(
        outcome: "attempt_unreadable", status: .badRequest, title: "This sign-in was not started here",
        detail: "Apple's response does not belong to a sign-in that this server started.", remedy: startAgain)
    package static let attemptExpired = ErrorPage(
        outcome: "attempt_expired", status: .badRequest, title: "This sign-in took too long",
        detail: "It started more than 15 minutes ago.", remedy: startAgain)
    package static let budgetUsedUp = ErrorPage(
        outcome: "budget_used_up", status: .serviceUnavailable, title: "Sign-in is not available this month",
        detail: "The application has reached its limit of sign-ins for this month. If you are signed in, you stay signed in.",
        remedy: "Try again next month, or contact the application's support.")
    package static let outage = ErrorPage(
        outcome: "unavailable", status: .serviceUnavailable, title: "This service is temporarily unavailable",
        detail: "The sign-in service cannot reach its database.", remedy: "Reload this page in a moment.")
    package static let outageAtCallback = ErrorPage(
        outcome: "unavailable", status: .serviceUnavailable, title: "This service is temporarily unavailable",
        detail: "The sign-in service cannot reach its database.",
        remedy: "Reload this page in a moment. If your browser asks, agree to send the form again. Nothing is lost.")
    package static let otherBrowser = ErrorPage(
        outcome: "other_browser", status: .badRequest, title: "This sign-in was started in another browser",
        detail: "It may also be finished already, or this browser may not save cookies.", remedy: startAgain)
}

extension ErrorPage: HTTPResponseError {
    package func response(from request: Request, context: some RequestContext) throws -> Response {
        let record = (context as? any RecordedContext)?.record
        record?.note(outcome: outcome)
        return NoticePage(title: title, detail: detail, remedy: remedy, facts: facts)
            .response(status, requestID: record?.current.requestID ?? "")
    }
}
