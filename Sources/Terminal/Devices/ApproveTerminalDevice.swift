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
    /// Lets the terminal act as the person. Only a form of the session that saw the terminal gets here, within 10 minutes of the sign-in. The
    /// same form again, by a double click or a reload, gets the same page.
    func approveTerminalDevice(_ request: Request, _ form: OwnForm, _ person: AccountContext) async throws -> Response {
        let device = try await device(form, person, allowsOwn: true)
        try person.requireRecentSignIn()
        let approval = TerminalApproval(by: person.session, at: person.now)
        let approved = try await grant.database.run(
            PersonDevice.approve(
                device.id, by: person.person.id, sealed: approval.sealed(for: device.id, with: grant.keyring), at: person.now))
        guard !approved.isEmpty else { throw ErrorPage.terminalCodeOver }
        if device.state == .pending {
            try await mailNotice(request, person)
            note("terminal device approved", approval, person, device: device.terminal.device.address ?? "unknown")
        }
        var page = AccountPage(.deviceIsSignedIn)
        page.details = [.deviceContinues, .youCanCloseThisPage]
        return page.response(in: account.frame(request, person.web))
    }
}
