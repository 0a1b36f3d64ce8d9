import Access
import Foundation
import Hummingbird
import Mail
import Pages
import People
import Postgres
import Web

extension AccountRoutes {
    /// How many links the person gets, in how many seconds.
    private static let limit: (mails: Int, window: TimeInterval) = (3, 15 * 60)

    /// Shows the present address, and the form for another one.
    @Sendable
    func showEmail(_ request: Request, _ account: AccountContext) async throws -> Response {
        try account.requireRecent()
        return emailPage(account).response(in: endpoints.frame(request, account.web))
    }

    /// Mails a link to the new address. Nothing changes before the person opens it, so nobody takes an address that is not theirs. The page
    /// is the same if another account has the address.
    @Sendable
    func changeEmail(_ request: Request, _ form: OwnForm, _ account: AccountContext) async throws -> Response {
        try account.requireRecent()
        try account.requireOwnAddress()
        let (frame, now, person) = (endpoints.frame(request, account.web), account.now, account.person)
        guard let sender = endpoints.mail else { return emailPage(account).response(in: frame) }
        let typed = form["email"] ?? ""
        guard let address = MailAddress(typed)?.address
        else { return emailPage(account, typed: typed, problem: .enterAnAddress).response(in: frame) }
        let ticket = MailTicket(.newAddress, of: person, to: address, at: now)
        let link = "\(endpoints.publicURL)/account/email/confirmation?ticket=\(ticket.sealed(with: endpoints.keyring))"
        let mail = AccountMail(.newAddress, link, of: Person.host(of: endpoints.publicURL), in: frame.language)
        let event = try event("changeEmail", account, after: ["email": address])
        let insertion = try Person.insertion(of: mail, to: address, until: ticket.expiresAt, keyring: endpoints.keyring, at: now)
        let isQueued = try await endpoints.people.transaction { db in
            let (_, mails) = try await db.run(
                Person.lock(person.id),
                AuditEvent.times(
                    of: "changeEmail", subject: person.id.description, owner: .platform, since: now.addingTimeInterval(-Self.limit.window),
                    upTo: Self.limit.mails))
            guard mails.count < Self.limit.mails, sender.take(of: .platform).isGranted, let insertion else { return false }
            _ = try await db.run([insertion, event])
            return true
        }
        var page = AccountPage(isQueued ? .lookIntoMailbox : .tooManyMails, values: [.address: address])
        page.details = isQueued ? [.linkIsOnItsWay, .openLinkWithinHour, .lookIntoSpam] : [.mailsWereSent, .useNewestMail]
        if !isQueued { page.status = .tooManyRequests }
        return page.leadingBack().response(in: frame)
    }

    private func emailPage(_ account: AccountContext, typed: String = "", problem: Text? = nil) -> AccountPage {
        var page = AccountPage(.changeAddress, values: [.address: account.person.email])
        page.details = [.addressIsSignInName]
        // The form would be refused.
        guard account.waiting.isEmpty else {
            page.details += [.organizationNeedsAddress, .askYourOrganization]
            return page.leadingBack()
        }
        guard endpoints.mail != nil else {
            page.details.append(.noMail)
            return page.leadingBack()
        }
        var field = AccountForm.Field("email", .newAddress, .email, autocomplete: "email")
        (field.value, field.problem) = (typed, problem)
        page.details.append(.addressChangesByLink)
        page.forms = [AccountForm("/account/email", account.formToken, fields: [field], button: .sendLinkByMail)]
        if problem != nil { page.status = .badRequest }
        return page.leadingBack()
    }
}
