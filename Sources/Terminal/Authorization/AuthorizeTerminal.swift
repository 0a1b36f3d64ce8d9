import Encoding
import Hummingbird
import Pages
import PeopleSignIn
import Sessions
import Web

extension TerminalRoutes {
    /// Checks the request of a program (RFC 6749, section 4.1.1), and leads the person to the page that shows it. The request travels in a
    /// cookie, because the page's address leads through a sign-in and back. No row is written.
    @Sendable
    func authorizeTerminal(_ request: Request, _ context: WebContext) async throws -> Response {
        do {
            let asked = try TerminalRequest(try account.query(request), at: grant.now())
            return .seeOther(
                Self.approvalPath, cookies: [TerminalCookie.set(asked.sealed(with: grant.keyring), publicURL: grant.publicURL)])
        } catch TerminalRequest.Refusal.unreadable {
            throw ErrorPage.terminalRequestOver
        } catch TerminalRequest.Refusal.error(let error, let answer) {
            context.record.note(outcome: error.code.rawValue)
            return redirect(to: answer, [("error", error.code.rawValue), ("error_description", error.description)])
        }
    }

    static let approvalPath = "/account/oauth2/approval"

    /// The redirect with a code or an error to the program, which waits at a loopback address.
    func redirect(to answer: TerminalAnswer, _ parameters: [(String, String)]) -> Response {
        .redirect(
            to: answer.location(parameters, issuer: grant.issuer), status: .seeOther, cookies: [TerminalCookie.removal(grant.publicURL)])
    }
}

extension ErrorPage {
    /// The request is missing, too old, or not one of the program. There is no safe address to redirect to.
    static let terminalRequestOver = ErrorPage(
        outcome: "terminal_request_over", status: .badRequest, title: .requestCannotBeProcessed, detail: .terminalRequestIsOver,
        remedy: .logInAgainInTheTerminal)
}
