import Access
import Encoding
import Factors
import Foundation
import Hummingbird
import Pages
import People
import PeopleSSO
import Postgres
import Sessions
import Web

extension ProviderSignInRoutes {
    /// Takes the response of the sign-in with Apple: it links the account there, or continues a sign-in with the second factor.
    ///
    /// The account at Apple finds a person only by an earlier link. Its address decides nothing.
    @Sendable
    func appleAccountCallback(_ request: Request, _ context: WebContext) async throws -> Response {
        let query = try endpoints.query(request)
        guard let attempt = try await endpoints.attempt(request, query, for: [.apple, .linkApple]),
            let provider = try await endpoints.apple?.provider(directory, publicURL: endpoints.publicURL),
            provider.tenant == attempt.tenant,
            provider.issuer.isSame(as: attempt.issuer)
        else { throw ErrorPage.responseBelongsToNoAttempt }
        let now = endpoints.now()
        let found: OIDCProvider.Account
        do {
            let code = try await provider.code(in: query, at: now)
            found = try await provider.redeem(code, of: attempt, at: now)
        } catch let refusal as OIDCRefusal { throw refused(refusal, by: provider.tenant, context) }
        return switch attempt.purpose {
        case .linkApple: try await link(found, of: attempt, at: provider, request, context)
        case .apple, .sso: try await continueSignIn(found, of: attempt, at: provider, request)
        }
    }

    /// Links the account for the session that asked for it, and for no other one.
    private func link(
        _ found: OIDCProvider.Account, of attempt: OIDCAttempt, at provider: OIDCProvider, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        guard let account = try await endpoints.account(request, context), account.session.id.uuid == attempt.session,
            account.isOfAccount
        else { throw ErrorPage.responseBelongsToNoAttempt }
        let frame = endpoints.frame(request, context)
        do {
            try await endpoints.people.transaction { db in
                _ = try await db.run(
                    [
                        PersonIdentity.insert(
                            found.subject, at: provider.issuer, of: provider.tenant, to: account.person.id, at: account.now)
                    ] + (try endpoints.notice(.appleConnected, of: account.person, in: frame, from: context, at: account.now)) + [
                        try AuditEvent.insert(
                            "linkApple", of: account.person.id.description, owner: .platform, by: account.origin, at: account.now)
                    ])
            }
        } catch let error as DatabaseError where error.constraint?.begins(with: "person_identity_") == true {
            // It belongs to another person, or this person has another one.
            return .seeOther(AppleOutcome.taken.path, cookies: [endpoints.attemptRemoval])
        }
        return .seeOther(AppleOutcome.connected.path, cookies: [endpoints.attemptRemoval])
    }

    /// Continues as after a right password.
    private func continueSignIn(
        _ found: OIDCProvider.Account, of attempt: OIDCAttempt, at provider: OIDCProvider, _ request: Request
    ) async throws -> Response {
        let now = endpoints.now()
        guard
            let identity = try await endpoints.people.run(PersonIdentity.find(found.subject, at: provider.issuer, of: provider.tenant))
                .first(PersonIdentity.init)
        else { throw ErrorPage.appleAccountUnknown }
        guard let (person, factors) = try await endpoints.people.repeatable.personWithFactors(identity.person)
        else { throw ErrorPage.appleAccountUnknown }
        guard try await !endpoints.mustUseProvider(person, hasPasskey: false) else { throw ErrorPage.onlyOrganizationSignsIn }
        _ = try await endpoints.people.run(PersonIdentity.use(identity.id, at: now))
        let stage: StepTicket.Stage =
            factors.isEmpty ? .enrollment(.person(person.id), key: AuthenticatorKey.random().bytes) : .password(person.id)
        let next = StepTicket(stage, next: attempt.returnPath.map { ReturnPath(sealed: $0) } ?? .account, at: now)
        return .seeOther(
            factors.isEmpty ? "/account/sign-in/authenticator" : "/account/sign-in/code",
            cookies: [endpoints.cookie(next), endpoints.attemptRemoval])
    }
}

extension ErrorPage {
    /// Nobody has connected the Apple Account. Only a person who signs in in another way can connect it.
    static let appleAccountUnknown = ErrorPage(
        outcome: "account_unknown", status: .forbidden, title: .signInDidNotFinish, detail: .accountThereIsUnknown,
        remedy: .connectAppleFirst
    ).leading(to: "/account/sign-in", .signInToYourAccount)
    /// The tenant of a member permits no other sign-in.
    static let onlyOrganizationSignsIn = ErrorPage(
        outcome: "provider_required", status: .forbidden, title: .signInDidNotFinish, detail: .onlyYourOrganization,
        remedy: .askYourOrganization
    ).leading(to: "/account/sign-in", .signInToYourAccount)
}
