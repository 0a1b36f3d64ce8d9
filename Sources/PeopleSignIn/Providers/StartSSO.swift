import Access
import Encoding
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Mail
import Pages
import People
import PeopleSSO
import Postgres
import Sessions
import Tenancy
import Web

extension ProviderSignInRoutes {
    /// Leads a person to a provider, by the form of the sign-in, or by that of the account page, which names a tenant of the person.
    @Sendable
    func startSSO(_ request: Request, _ context: WebContext) async throws -> Response {
        let form = try await endpoints.ownForm(request, upTo: AccountEndpoints.longestForm)
        if let tenant = form["tenant"] { return try await startSSO(request, form, of: ID<Tenant>(tenant), context) }
        guard let step = endpoints.step(request) else { return .seeOther("/account/sign-in") }
        guard FormToken.isRight(form[FormToken.field], for: step.secret, with: endpoints.keyring) else { throw ErrorPage.formNotCurrent }
        return try await startSSO(request, form, step, context)
    }

    /// Leads a signed-in person to the provider that a tenant of this person requires.
    private func startSSO(_ request: Request, _ form: OwnForm, of tenant: ID<Tenant>?, _ context: WebContext) async throws -> Response {
        guard let account = try await endpoints.account(request, context) else { return .seeOther("/account/sign-in?again=/account") }
        guard FormToken.isRight(form[FormToken.field], for: account.session.id.description, with: endpoints.keyring)
        else { throw ErrorPage.formNotCurrent }
        guard let tenant, account.waiting.contains(where: { $0.owner == tenant.uuid }),
            let connection = try await endpoints.people.run(SSOConnection.find(of: tenant)).first(SSOConnection.init)
        else { return .seeOther("/account") }
        let provider = try connection.provider(
            of: tenant, publicURL: endpoints.publicURL, keyring: endpoints.keyring, documents: documents)
        let attempt = OIDCAttempt(.sso, at: provider, returnPath: "/account", at: endpoints.now())
        return try await leave(for: provider, attempt, address: account.person.email, request, context)
    }

    /// Leads a person to the provider of the tenant that has proved the domain of the address.
    ///
    /// Nothing in the response depends on an account: everyone can ask for the provider of a domain.
    private func startSSO(_ request: Request, _ form: OwnForm, _ step: StepTicket, _ context: WebContext) async throws -> Response {
        guard let address = form["email"].flatMap({ MailAddress($0) })?.address,
            let found = try await AddressProvider.find(address, in: endpoints.people), try await isActive(found.tenant)
        else { return .seeOther("/account/sign-in") }
        let provider = try found.connection.provider(
            of: found.tenant, publicURL: endpoints.publicURL, keyring: endpoints.keyring, documents: documents)
        // A signed-in person is here for a step that needs a new sign-in. A page after the sign-in may need one, too.
        let isSignedIn = try await endpoints.account(request, context) != nil
        // A sign-in with the provider of the inviting tenant accepts the invitation, so the link has nothing to show afterwards.
        let next = step.next.isInvitation ? .account : step.next
        let isAgain = isSignedIn || next != .account
        let attempt = OIDCAttempt(.sso, at: provider, isAgain: isAgain, returnPath: next.path, at: endpoints.now())
        return try await leave(for: provider, attempt, address: address, request, context)
    }

    func isActive(_ tenant: ID<Tenant>) async throws -> Bool {
        try await directory.find(idOrSlug: tenant.description)?.tenant.status == .active
    }

    /// The page that leads to a provider. The attempt is in a cookie of this browser.
    ///
    /// It is a page, because a browser follows no redirect to another site after a form (`form-action`).
    func leave(
        for provider: OIDCProvider, _ attempt: OIDCAttempt, address: String?, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let url: String
        do { url = try await provider.authorizationURL(for: attempt, address: address, at: endpoints.now()) } catch let refusal
            as OIDCRefusal
        {
            throw refused(refusal, by: provider.tenant, context)
        }
        var page = AccountPage(.signInAtOtherService)
        page.details = [.otherServiceSignsYouIn]
        if attempt.purpose == .sso, let tenant = try await directory.find(idOrSlug: provider.tenant.description)?.tenant {
            (page.details, page.values[.organization]) = ([.organizationSignsYouIn], tenant.name)
        }
        page.links = [.init(text: .next, path: url)]
        var response = page.response(in: endpoints.frame(request, context))
        response.headers[.refresh] = "0; url=\(url)"
        let cookie = AccountCookie.provider.set(
            attempt.sealed(with: endpoints.keyring), seconds: Int(OIDCAttempt.lifetime), publicURL: endpoints.publicURL)
        return response.setting([cookie])
    }

    /// Logs why a provider signs nobody in, and returns the page. The line has no address and nothing that the provider sent.
    func refused(_ refusal: OIDCRefusal, by tenant: ID<Tenant>, _ context: WebContext) -> ErrorPage {
        context.record.note(outcome: "provider_refused")
        endpoints.logger.notice(
            "a provider signed nobody in",
            metadata: [
                "request_id": "\(context.record.current.requestID)", "tenant": "\(tenant)", "step": "\(refusal.step.rawValue)",
                "field": "\(refusal.field ?? "")", "detail": "\(refusal.detail)",
            ])
        return refusal.field?.isSame(as: "auth_time") == true ? .signInThereIsNotNew : .otherServiceRefused
    }
}

extension HTTPField.Name {
    fileprivate static let refresh = HTTPField.Name("Refresh")!
}

extension ErrorPage {
    /// One page for all reasons. The owner of the tenant finds them with `checkSSO`, and the operator in the log.
    static let otherServiceRefused = ErrorPage(
        outcome: "provider_refused", status: .badRequest, title: .signInDidNotFinish, detail: .otherServiceDidNotConfirm,
        remedy: .askYourOrganization)
    /// The provider did not say that the person signed in there a short time ago, or said an earlier time.
    static let signInThereIsNotNew = ErrorPage(
        outcome: "provider_refused", status: .badRequest, title: .signInDidNotFinish, detail: .signInThereIsNotNew,
        remedy: .askYourOrganization)
    /// The account at the provider belongs to nobody who may sign in.
    static let accountThereUnknown = ErrorPage(
        outcome: "account_unknown", status: .forbidden, title: .signInDidNotFinish, detail: .accountThereIsUnknown,
        remedy: .askYourOrganization
    ).leading(to: "/account/sign-in", .signInToYourAccount)
}
