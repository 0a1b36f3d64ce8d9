import HTTPTypes
package import Hummingbird
import Tenancy
import Web

/// What a person sees when a login cannot go on and there is no application to tell: never a redirect,
/// since where it would lead is just what is in doubt (RFC 9700, section 4.11).
package struct ErrorPage: Error, Sendable {
    package let outcome: String
    package let status: HTTPResponse.Status
    let title: String
    let detail: String
    /// What can be done about it, and by whom.
    let remedy: String
    /// The subjects of the page, shown as text.
    var facts: [(name: String, value: String)] = []

    private static let startAgain = "Go back to the application and sign in again."

    package static let unknownTenant = ErrorPage(
        outcome: "unknown_tenant", status: .notFound, title: "There is no sign-in here",
        detail: "The address names nobody whom this server signs users in for.",
        remedy: "If you followed a link, tell whoever gave it to you.")
    package static let unknownApplication = ErrorPage(
        outcome: "unknown_application", status: .badRequest, title: "This application is not known",
        detail: "The request's client_id names no application that is registered here.",
        remedy: "If you are its developer: use the client id that was given out at registration.")
    static let signsNobodyIn = ErrorPage(
        outcome: "signs_nobody_in", status: .badRequest, title: "This application signs nobody in",
        detail: "The request's client_id names an application that was registered as a machine.",
        remedy: "If you are its developer: register one of kind web, spa or native for sign-ins.")
    static let redirectURIMissing = ErrorPage(
        outcome: "redirect_uri_missing", status: .badRequest, title: "The application did not say where to return to",
        detail: "The request has no redirect_uri.",
        remedy: "If you are its developer: send one of the redirect URIs that are registered.")
    /// - Parameter uri: what the request asks for. It is shown as text: it leads nowhere.
    package static func redirectURINotRegistered(_ uri: String, of application: Application) -> ErrorPage {
        ErrorPage(
            outcome: "redirect_uri_not_registered", status: .badRequest, title: "The application may not return there",
            detail: "The request's redirect_uri is not registered for this application.",
            remedy: """
                If you develop the application, add this exact address to its redirect_uris. If you do not, go back to the application \
                and tell its developers.
                """,
            facts: [("Application", application.name), ("redirect_uri", shown(uri))])
    }

    /// An address as a person can compare it with another: in ASCII, so that no letter looks like another and none reverses the rest.
    static func shown(_ uri: String) -> String {
        let longest = 500
        let bytes = uri.utf8.prefix(longest).map { byte in
            (0x20...0x7E).contains(byte) ? String(UnicodeScalar(byte)) : Form.encode(byte: byte)
        }
        return bytes.joined() + (uri.utf8.count > longest ? "…" : "")
    }

    package static let embedded = ErrorPage(
        outcome: "embedded", status: .badRequest, title: "This sign-in did not start",
        detail: "A page opened it in a frame, as an image or from a script. A sign-in needs the whole browser window.",
        remedy: """
            Go back to the application and sign in again. If you are its developer: send the whole window to the authorization endpoint.
            """)
    static let stateTooLong = ErrorPage(
        outcome: "state_too_long", status: .badRequest, title: "The request cannot be processed",
        detail: """
            The request's state is longer than \(AuthorizationRequest.longestStateInAnswer) bytes when it is percent-encoded, so no \
            answer can carry it back to the application.
            """,
        remedy: "If you are its developer: send a state of at most \(AuthorizationRequest.longestState) bytes.")
    static let malformed = ErrorPage(
        outcome: "malformed", status: .badRequest, title: "The request could not be read",
        detail: "A parameter is malformed or comes more than once.", remedy: startAgain)
    package static let attemptUnreadable = ErrorPage(
        outcome: "attempt_unreadable", status: .badRequest, title: "This sign-in was not started here",
        detail: "The answer from Apple does not belong to a sign-in that this server began.", remedy: startAgain)
    package static let attemptExpired = ErrorPage(
        outcome: "attempt_expired", status: .badRequest, title: "This sign-in took too long",
        detail: "It was begun more than fifteen minutes ago.", remedy: startAgain)
    package static let budgetUsedUp = ErrorPage(
        outcome: "budget_used_up", status: .serviceUnavailable, title: "Nobody can sign in here at the moment",
        detail: "As many people have signed in this month as whoever runs the application has allowed. Who is signed in stays so.",
        remedy: "Tell whoever runs the application, or try again next month.")
    package static let outage = ErrorPage(
        outcome: "unavailable", status: .serviceUnavailable, title: "This does not work at the moment",
        detail: "The sign-in service cannot reach its database.", remedy: "Reload this page in a moment.")
    package static let outageAtCallback = ErrorPage(
        outcome: "unavailable", status: .serviceUnavailable, title: "This does not work at the moment",
        detail: "The sign-in service cannot reach its database.",
        remedy: "Reload this page in a moment, and agree to send the form again: nothing is lost by it.")
    package static let otherBrowser = ErrorPage(
        outcome: "other_browser", status: .badRequest, title: "This sign-in was started in another browser",
        detail: "Or it was finished already, or this browser does not keep cookies.", remedy: startAgain)
}

extension ErrorPage: HTTPResponseError {
    package func response(from request: Request, context: some RequestContext) throws -> Response {
        let record = (context as? any RecordedContext)?.record
        record?.note(outcome: outcome)
        return NoticePage(title: title, detail: detail, remedy: remedy, facts: facts)
            .response(status, requestID: record?.current.requestID ?? "")
    }
}
