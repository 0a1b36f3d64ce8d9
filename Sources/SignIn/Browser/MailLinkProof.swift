import Access
import Apple
import Foundation
import HTTPTypes
import Hummingbird
import Mail
import Pages
import Postgres
import Sessions
import Tenancy
import Users
import Web

// The second way to prove the user with the same address: a link in a mail to this address. The mail goes only to the address that Apple
// signed, and only while the user has it.
extension SignInRoutes {
    /// How many mails the address of a user gets, in how many seconds, and the text about one more. All servers count together, by the audit
    /// trail.
    private static let shortLimit: (mails: Int, window: TimeInterval, text: Text) = (3, 15 * 60, .mailsWereSent)
    private static let dayLimit: (mails: Int, window: TimeInterval, text: Text) = (10, 24 * 3600, .mailsOfTheDayWereSent)

    /// Whether a mail can prove the user: the server sends mails, the link leads back to it, and the browser can keep the sign-in until the
    /// person opens the link.
    /// - Parameter state: the sealed attempt.
    func canMail(_ question: LinkQuestion, of attempt: LoginAttempt, sealed state: String, at addresses: TenantAddresses) -> Bool {
        guard mail != nil, leadsBack(to: addresses), let address = question.address, MailAddress(address) != nil else { return false }
        return AttemptCookie(attempt.login, publicURL: endpoints.publicURL).canHold(question.ticket, of: state)
    }

    /// Whether links to the address of the request in progress lead to this server. At a failing host, they may lead to another owner, who
    /// would have both halves of the proof after a click of a person who did not ask for the mail.
    func leadsBack(to addresses: TenantAddresses) -> Bool { addresses.current.map { !addresses.isFailing($0) } ?? true }

    /// Mails the link, and keeps the sign-in in cookies of this browser, because the link opens another page.
    @Sendable
    func mailLinkProof(_ request: Request, _ context: WebContext) async throws -> Response {
        let decision = try await linkDecision(.code, request, context, tries: mailTries)
        let (waiting, attempt, tenant, now) = (decision.waiting, decision.attempt, decision.tenant, endpoints.now())
        let (state, ticket) = (decision.form["attempt"] ?? "", decision.form["ticket"] ?? "")
        let cookie = decision.sent.cookie
        guard cookie.canHold(ticket, of: state) else { throw ErrorPage.linkUnreadable.leading(to: decision.application) }
        // The page had the button before the server lost its mail server, or before the host failed.
        guard let mail, leadsBack(to: tenant.tenant.addresses)
        else { throw await keepingName(.mailUnavailable, of: decision, request, at: now) }
        guard tenant.tenant.settings.accountLinking == .ask, let connection = tenant.connection, connection.id == waiting.connection
        else { throw await keepingName(.accountChanged, of: decision, request, at: now) }
        let frame = PageFrame(request, tenant, context)
        do {
            let token = try await waiting.token(of: connection, verifiedBy: apple)
            guard let address = token.email, let recipient = MailAddress(address),
                let confirmation = Identity.confirm(waiting.candidate, for: token, of: waiting.tenant, askedAt: waiting.askedAt)
            else { throw await keepingName(.accountChanged, of: decision, request, at: now) }
            let proof = LinkProof(for: waiting, of: attempt, at: address)
            let link =
                "\(endpoints.issuer(tenant.tenant))/oauth2/link/mail\(frame.query)\(frame.query.isEmpty ? "?" : "&")"
                + "ticket=\(proof.sealed(with: endpoints.keyring))"
            let letter = LinkMail(link: link, in: frame)
            let message = try Mail.Message(
                to: recipient, subject: letter.subject, text: letter.text, html: letter.html, deliverBefore: proof.expiresAt)
            switch try await queue(message, by: mail, about: waiting, of: attempt, if: confirmation, context, at: now) {
            case .changed: throw await keepingName(.accountChanged, of: decision, request, at: now)
            case .noRoom(let seconds):
                let page = NoticePage(title: .serviceIsUnavailable, detail: .mailedLinksDoNotWork, remedy: [.reloadAndSendAgain])
                return response(page, in: frame, retryAfter: seconds, context)
            case .tooMany(let text, let end):
                let seconds = end.timeIntervalSince(now)
                // After 15 minutes, no link works any longer, but the limit of a day may remain.
                let page = NoticePage(
                    title: .tooManyMails, detail: text,
                    remedy: seconds > Self.shortLimit.window ? [.chooseAnotherWay] : [.useNewestMail, .chooseAnotherWay])
                return response(page, in: frame, retryAfter: Int(seconds.rounded(.up)), context)
            case .queued: break
            }
            metrics.count(.callback, "link_mailed")
            return NoticePage(
                title: .lookIntoMailbox, detail: .linkIsOnItsWay, remedy: [.openLinkInThisBrowser, .mailMayBeSpam],
                values: [.address: address]
            ).response(.ok, in: frame).setting(
                cookie.set(decision.secret, question: ticket, of: state, in: request, publicURL: endpoints.publicURL))
        } catch let page as ErrorPage {
            throw page
        } catch {
            throw await refusal(of: decision, after: error, request, context, at: now)
        }
    }

    private enum Queued: Sendable {
        case queued
        /// The address has got as many mails as it may until this time. The text says so.
        case tooMany(Text, until: Date)
        /// The mails of the tenant have used up its limit for this time.
        case noRoom(seconds: Int)
        /// The address no longer leads to the user.
        case changed
    }

    /// - Parameter confirmation: selects the user, if it still has the address.
    private func queue(
        _ message: Mail.Message, by sender: MailSender, about waiting: WaitingIdentity, of attempt: LoginAttempt, if confirmation: SQL,
        _ context: WebContext, at now: Date
    ) async throws -> Queued {
        let facts = context.record.current
        let origin = AuditEvent.Origin(actor: attempt.application.description, address: facts.address, requestID: facts.requestID)
        let (user, tenant) = (waiting.candidate, waiting.tenant)
        let action = "mailLinkProof"
        return try await OwnerDatabase(signInNatively.pool, tenant: tenant).transaction { db in
            // Requests at the same time wait here, so that each counts the mails of the others.
            _ = try await db.run(UserReply.lock(user, of: tenant))
            let (known, mails) = try await db.run(
                confirmation,
                AuditEvent.times(
                    of: action, subject: user.description, owner: tenant.uuid, since: now.addingTimeInterval(-Self.dayLimit.window),
                    upTo: Self.dayLimit.mails))
            guard !known.isEmpty else { return .changed }
            let times = try mails.map { try $0.get("occurred_at", as: Date.self) }
            for limit in [Self.dayLimit, Self.shortLimit] where times.count >= limit.mails {
                let end = times[limit.mails - 1].addingTimeInterval(limit.window)
                if now < end { return .tooMany(limit.text, until: end) }
            }
            // Only a mail counts. Otherwise one person with many refused requests would stop the mails of all others.
            let room = sender.take(of: tenant.uuid)
            guard room.isGranted else { return .noRoom(seconds: room.secondsUntilNext) }
            _ = try await db.run([
                Mail.insertion(message, owner: tenant.uuid, keyring: endpoints.keyring, at: now),
                try AuditEvent.insert(action, of: user.description, owner: tenant.uuid, by: origin, at: now),
            ])
            return .queued
        }
    }

    /// The response to a request that a limit of mails refuses.
    private func response(_ page: NoticePage, in frame: PageFrame, retryAfter seconds: Int, _ context: WebContext) -> Response {
        metrics.count(.callback, "link_mail_limit")
        context.record.note(outcome: Problem.Code.rateLimited.rawValue)
        var response = page.response(.tooManyRequests, in: frame)
        response.headers[.retryAfter] = "\(max(1, seconds))"
        return response
    }
}

extension ErrorPage {
    /// The tenant, the user or its address has changed since the page asked. Nothing was linked.
    static let accountChanged = ErrorPage(
        outcome: "account_changed", status: .badRequest, title: .signInDidNotFinish, detail: .accountHasChanged, remedy: .startAgain)
    /// The server no longer has a mail server, or the host of the tenant fails.
    static let mailUnavailable = ErrorPage(
        outcome: "mail_unavailable", status: .serviceUnavailable, title: .serviceIsUnavailable, detail: .mailedLinksDoNotWork,
        remedy: .chooseAnotherWay)
    /// The same for a link that was mailed before.
    static let mailedLinkUnavailable = ErrorPage(
        outcome: "mail_unavailable", status: .serviceUnavailable, title: .serviceIsUnavailable, detail: .mailedLinksDoNotWork,
        remedy: .startAgain)
}
