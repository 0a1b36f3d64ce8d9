import Access
import Encoding
import Hummingbird
import Pages
import Sessions
import Tenancy
import Web

extension SignInRoutes {
    /// The page of a mailed link. It only asks, and changes nothing, because programs also open the links of mails.
    ///
    /// The ticket is in the query. The access log has no query, a page of an error repeats none, and the page does not send its address in
    /// `Referer`. A fragment would need a script.
    @Sendable
    func showLinkProof(_ request: Request, _ context: WebContext) async throws -> Response {
        let (form, now) = (try endpoints.browserQuery(request), endpoints.now())
        guard let tenant = try await endpoints.showingOutage(.outage, context, { try await endpoints.tenant(context) }) else {
            throw ErrorPage.unknownTenant
        }
        let sealed = form["ticket"] ?? ""
        guard let proof = LinkProof(opening: sealed, of: tenant.tenant.id, with: endpoints.keyring) else { throw ErrorPage.linkUnreadable }
        guard let application = tenant.applications[proof.application] else { throw ErrorPage.unknownApplication }
        guard now < proof.expiresAt else { throw ErrorPage.attemptExpired.leading(to: application) }
        guard leadsBack(to: tenant.tenant.addresses) else { throw ErrorPage.mailedLinkUnavailable.leading(to: application) }
        let sent = AttemptCookie(proof.login, publicURL: endpoints.publicURL).sent(in: request)
        for state in sent.attempts {
            guard let attempt = try? LoginAttempt(opening: state, with: endpoints.keyring, at: now),
                tenant.tenant.addresses.isCurrent(attempt.host), attempt.secret(ofBrowserWith: sent.secrets) != nil
            else { continue }
            for ticket in sent.questions {
                guard let waiting = WaitingIdentity(opening: ticket, for: attempt, with: endpoints.keyring, at: now),
                    proof.proves(waiting, of: attempt, at: now)
                else { continue }
                let frame = PageFrame(request, tenant, context)
                metrics.count(.authorize, "link_opened")
                return LinkProofPage(
                    address: proof.address, path: "\(tenant.tenant.path)/oauth2/link/mail/confirmation", query: frame.query,
                    attempt: state, ticket: ticket, proof: sealed, redirectURI: attempt.redirectURI
                ).response(in: frame)
            }
        }
        throw ErrorPage.linkInOtherBrowser.leading(to: application)
    }
}

extension ErrorPage {
    static let linkInOtherBrowser = ErrorPage(
        outcome: "other_browser", status: .badRequest, title: .signInStartedInAnotherBrowser, detail: .linkNeedsItsBrowser,
        remedy: .finishedOrWithoutCookies, .ignoreUnaskedMail)
}
