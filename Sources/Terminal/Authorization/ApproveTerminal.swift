import Access
import Hummingbird
import Logging
import Pages
import People
import PeopleSignIn
import Postgres
import Sessions
import Web

extension TerminalRoutes {
    /// Gives the program a code for the request that the page showed. Only a form of the person's session gets here, within 10 minutes of the
    /// sign-in.
    func approveTerminal(_ request: Request, _ form: OwnForm, _ person: AccountContext) async throws -> Response {
        let asked = try shown(form, person)
        try person.requireRecentSignIn()
        let approval = TerminalApproval(by: person.session, at: person.now)
        let code = TerminalCode(approval, for: asked, at: person.now)
        try await mailNotice(request, person)
        note("terminal approved", approval, person)
        return redirect(to: asked.answer, [("code", code.sealed(with: grant.keyring))])
    }

    /// The request of a form.
    /// - Throws: an `ErrorPage`.
    func shown(_ form: OwnForm, _ person: AccountContext) throws(ErrorPage) -> TerminalRequest {
        guard let asked = TerminalRequest(opening: form["request"] ?? "", with: grant.keyring, at: person.now)
        else { throw .terminalRequestOver }
        return asked
    }

    /// Tells the person by a mail that a terminal may act with the account.
    func mailNotice(_ request: Request, _ person: AccountContext) async throws {
        let frame = account.frame(request, person.web)
        let mails = try account.notice(.terminalAllowed, of: person.person, in: frame, from: person.web, at: person.now)
        if !mails.isEmpty { _ = try await account.people.run(mails) }
    }

    /// After phishing, this line leads from the session to the browser that approved.
    func note(_ message: Logger.Message, _ approval: TerminalApproval, _ person: AccountContext, device: String? = nil) {
        let facts = person.web.record.current
        var metadata: Logger.Metadata = [
            "request_id": "\(facts.requestID)", "person": "\(approval.person)", "session": "\(approval.session)",
            "address": "\(facts.address ?? "unknown")",
        ]
        if let device { metadata["device_address"] = "\(device)" }
        grant.logger.notice(message, metadata: metadata)
    }
}
