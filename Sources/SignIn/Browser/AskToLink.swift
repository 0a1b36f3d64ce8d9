import Access
import Apple
import Encoding
import Foundation
import HTTPTypes
import Hummingbird
import Pages
import Sessions
import Tenancy
import Users
import Web

/// The question of a callback to the person, instead of a code.
struct LinkQuestion: Error {
    /// The sealed `WaitingIdentity`.
    let ticket: String
    /// The address that Apple signed.
    let address: String?
    /// The user with the same address, or the one who adds the Apple Account.
    let user: ID<User>
}

// A first sign-in with the verified address of another user. The address proves nothing about that user, so a page asks the person: sign in
// to that user, or create a separate one. Only a sign-in to that user, or a link in a mail to the address, links both (LinkIdentity).
extension SignInRoutes {
    /// A person who decides on the page.
    struct LinkDecision {
        let waiting: WaitingIdentity
        let attempt: LoginAttempt
        let tenant: TenantConfiguration
        let application: Application
        let sent: AttemptCookie.Sent
        /// The value of the cookie.
        let secret: String
        let form: PageForm
    }

    /// The page of a question. The cookie of the attempt stays, because it binds the page to this browser. Another one has the question for
    /// a reload, and for a person who goes back to the page, because browsers then repeat Apple's response.
    func ask(
        _ question: LinkQuestion, of returned: ReturnedAttempt, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let sent = returned.sent
        let isAdding = returned.attempt.delivery == .identity
        let removals = isAdding ? [] : sent.removalsOfWaiting
        let kept = sent.cookie.set(
            returned.secret, question: question.ticket, after: removals, in: request, publicURL: endpoints.publicURL)
        if isAdding { return try await askToConnect(question, of: returned, request, context).setting(kept) }
        // The page has the identity that waited for this sign-in, or that of another sign-in instead.
        return askToLink(question, of: returned, request, context).setting(kept + removals)
    }

    private func askToLink(
        _ question: LinkQuestion, of returned: ReturnedAttempt, _ request: Request, _ context: WebContext
    ) -> Response {
        metrics.count(.callback, "asked_to_link")
        let (attempt, tenant) = (returned.attempt, returned.tenant)
        let frame = PageFrame(request, tenant, context)
        let page = LinkPage(
            address: question.address ?? "", path: "\(tenant.tenant.path)/oauth2/link", query: frame.query, attempt: returned.state,
            ticket: question.ticket, offersMail: canMail(question, of: attempt, sealed: returned.state, at: tenant.tenant.addresses),
            // The sign-in leads to Apple. On a server for development, this is the simulator.
            addresses: [attempt.redirectURI, endpoints.issuer(tenant.tenant)])
        return page.response(in: frame)
    }

    /// The question about an identity that still waits. Nil if the person can no longer decide. It needs neither Apple nor the database, so
    /// their outage does not lose the name. The decision verifies everything.
    /// - Parameter code: Apple's code of this response, for its repetition.
    func question(
        about waiting: WaitingIdentity, of attempt: LoginAttempt, after code: String, _ tenant: TenantConfiguration
    ) -> LinkQuestion? {
        guard attempt.delivery == .identity || tenant.tenant.settings.accountLinking == .ask, tenant.connection?.id == waiting.connection,
            let ticket = waiting.asked(by: attempt, after: code).sealed(for: attempt.login, with: endpoints.keyring)
        else { return nil }
        return LinkQuestion(ticket: ticket, address: waiting.address, user: waiting.candidate)
    }

    /// Opens the form of the page.
    /// - Parameters:
    ///   - delivery: the kind of attempt that the page is for.
    ///   - tries: the remaining forms per attempt, if not together with the calls to Apple.
    /// - Throws: an `ErrorPage` unless the page of this browser sends it, within 15 minutes from the start of the attempt.
    func linkDecision(
        _ delivery: LoginAttempt.Delivery, _ request: Request, _ context: WebContext, tries: TokenBuckets<UUID>? = nil
    ) async throws -> LinkDecision {
        let form = try await pageForm(request, context, orThrow: .linkUnreadable)
        try form.requireServedAddress()
        let (tenant, now) = (form.tenant, endpoints.now())
        let attempt: LoginAttempt
        do throws(LoginAttempt.Refusal) {
            attempt = try LoginAttempt(opening: form["attempt"] ?? "", with: endpoints.keyring, at: now)
        } catch {
            switch error {
            case .unreadable, .stateMissing: throw ErrorPage.linkUnreadable
            case .expired(let place):
                throw tenant.applications[place.application].map(ErrorPage.attemptExpired.leading(to:)) ?? .attemptExpired
            }
        }
        guard attempt.tenant == tenant.tenant.id, tenant.tenant.addresses.isCurrent(attempt.host), attempt.delivery == delivery
        else { throw ErrorPage.linkUnreadable }
        guard let application = tenant.applications[attempt.application] else { throw ErrorPage.unknownApplication }
        let sent = AttemptCookie(attempt.login, publicURL: endpoints.publicURL).sent(in: request)
        guard let secret = attempt.secret(ofBrowserWith: sent.secrets)
        else { throw ErrorPage.otherBrowser.leading(to: application) }
        guard application.isRegistered(for: attempt) else {
            throw ErrorPage.redirectURINotRegistered(attempt.redirectURI, of: application, issuer: endpoints.issuer(tenant.tenant))
        }
        guard let waiting = WaitingIdentity(opening: form["ticket"] ?? "", for: attempt, with: endpoints.keyring, at: now)
        else { throw ErrorPage.linkUnreadable.leading(to: application) }
        // Each decision costs a verification of Apple's signature and some statements.
        guard (tries ?? callbackTries).take(attempt.login.uuid, at: .now).isGranted else {
            throw RedirectedError(
                .temporarilyUnavailable, "Too many forms were sent for this sign-in. Start again.",
                to: attempt.returnAddress(issuer: endpoints.issuer(tenant.tenant)))
        }
        return LinkDecision(
            waiting: waiting, attempt: attempt, tenant: tenant, application: application, sent: sent, secret: secret, form: form)
    }
}

extension LoginAttempt {
    /// Whether its browser can show the page that asks. The cookies of a long state leave no room for the waiting identity.
    var asksToLink: Bool { delivery == .code && partsInCookies == 0 }
}

extension ErrorPage {
    static let linkUnreadable = ErrorPage(
        outcome: "link_unreadable", status: .badRequest, title: .requestCannotBeRead, detail: .parameterIsMalformed, remedy: .startAgain)
}
