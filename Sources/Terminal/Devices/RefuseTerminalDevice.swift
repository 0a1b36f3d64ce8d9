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
    /// Refuses the terminal. Its next poll gets the refusal.
    func refuseTerminalDevice(_ request: Request, _ form: OwnForm, _ person: AccountContext) async throws -> Response {
        let device = try await device(form, person)
        guard try await !grant.database.run(PersonDevice.refuse(device.id, at: person.now)).isEmpty
        else { throw ErrorPage.terminalCodeOver }
        // Many of these can be a sign of phishing.
        grant.logger.notice(
            "terminal device refused",
            metadata: [
                "request_id": "\(person.web.record.current.requestID)", "person": "\(person.person.id)",
                "device_address": "\(device.terminal.device.address ?? "unknown")",
            ])
        var page = AccountPage(.youRefusedTheDevice)
        page.details = [.deviceIsNotSignedIn, .doNotAnswerThatPerson]
        return page.response(in: account.frame(request, person.web))
    }
}
