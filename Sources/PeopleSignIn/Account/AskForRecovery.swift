import Access
import Encoding
import Foundation
import Hummingbird
import Mail
import Pages
import People
import Postgres
import Web

extension AccountRoutes {
    /// How many links an account gets, in how many seconds.
    private static let limit: (mails: Int, window: TimeInterval) = (5, 3600)
    /// How long each response takes at least. The work for an account is shorter, so the time does not show whether there is one.
    private static let pause = Duration.milliseconds(400)

    /// Shows the form that asks for a link by mail, with the address of a sign-in that is not finished.
    @Sendable
    func showRecovery(_ request: Request, _ context: WebContext) async throws -> Response {
        let step = endpoints.step(request) ?? StepTicket(.start, next: .account, at: endpoints.now())
        var page = recoveryPage(step, typed: step.email ?? "")
        page.links = [try await wayBack(request, context)]
        return page.response(in: endpoints.frame(request, context)).setting([endpoints.cookie(step)])
    }

    /// Mails a link for a new password. The page and its time are the same for an address without an account.
    @Sendable
    func askForRecovery(_ request: Request, _ form: OwnForm, _ step: StepTicket, _ context: WebContext) async throws -> Response {
        let (start, frame, now) = (ContinuousClock.now, endpoints.frame(request, context), endpoints.now())
        let back = try await wayBack(request, context)
        func answer(_ page: AccountPage) -> Response {
            var page = page
            page.links = [back]
            return page.response(in: frame)
        }
        guard let sender = endpoints.mail else { return answer(recoveryPage(step)) }
        let typed = form["email"] ?? ""
        guard let address = MailAddress(typed)?.address else { return answer(recoveryPage(step, typed: typed, problem: .enterAnAddress)) }
        let room = recoveries.take(CallerNetwork.of(context.record.current.address), at: start)
        guard room.isGranted else {
            let seconds = max(1, room.secondsUntilNext)
            var page = recoveryPage(step, typed: typed, problem: .tooManyAttempts)
            (page.values[.wait], page.status) = (frame.language.wait(seconds), .tooManyRequests)
            var response = answer(page)
            response.headers[.retryAfter] = "\(seconds)"
            return response
        }
        try await mailRecovery(to: address, by: sender, frame.language, context, at: now)
        try await Task.sleep(until: start + Self.pause)
        var page = AccountPage(.lookIntoMailbox, values: [.address: address])
        page.details = [.recoveryIsOnItsWay, .openLinkWithinHour, .lookIntoSpam]
        return answer(page)
    }

    /// Mails the link, if there is an account. The mail goes only to the address of the account.
    private func mailRecovery(
        to typed: String, by sender: MailSender, _ language: Language, _ context: WebContext, at now: Date
    ) async throws {
        let (keyring, facts) = (endpoints.keyring, context.record.current)
        try await endpoints.people.transaction { db in
            guard let person = try await db.run(Person.find(email: typed)).first(Person.init) else { return }
            let ticket = MailTicket(.recovery, of: person, to: person.email, at: now)
            let link = "\(endpoints.publicURL)/account/recovery/password?ticket=\(ticket.sealed(with: keyring))"
            let mail = AccountMail(.recovery, link, of: Person.host(of: endpoints.publicURL), in: language)
            let (_, mails) = try await db.run(
                Person.lock(person.id),
                AuditEvent.times(
                    of: "askForRecovery", subject: person.id.description, owner: .platform,
                    since: now.addingTimeInterval(-Self.limit.window), upTo: Self.limit.mails))
            guard mails.count < Self.limit.mails,
                let insertion = try Person.insertion(of: mail, to: person.email, until: ticket.expiresAt, keyring: keyring, at: now),
                sender.take(of: .platform).isGranted
            else { return }
            // Nobody is signed in, so the system acts.
            let origin = AuditEvent.Origin(actor: "system", address: facts.address, requestID: facts.requestID)
            _ = try await db.run([
                insertion,
                try AuditEvent.insert("askForRecovery", of: person.id.description, owner: .platform, by: origin, at: now),
            ])
        }
    }

    /// The link to the account, or to the sign-in that led here.
    private func wayBack(_ request: Request, _ context: WebContext) async throws -> AccountPage.Link {
        try await endpoints.account(request, context) == nil
            ? .init(text: .signInToYourAccount, path: "/account/sign-in") : .init(text: .backToYourAccount, path: "/account")
    }

    private func recoveryPage(_ step: StepTicket, typed: String = "", problem: Text? = nil) -> AccountPage {
        var page = AccountPage(.recoverAccount)
        guard endpoints.mail != nil else {
            page.details = [.noMail]
            return page
        }
        var field = AccountForm.Field.email(typed)
        field.problem = problem
        page.details = [.recoveryByMail]
        page.forms = [AccountForm("/account/recovery", endpoints.formToken(step), fields: [field], button: .sendLinkByMail)]
        if problem != nil { page.status = .badRequest }
        return page
    }
}
