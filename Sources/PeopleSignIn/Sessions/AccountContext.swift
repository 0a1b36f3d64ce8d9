package import Access
import Encoding
package import Foundation
package import Hummingbird
import Pages
package import People
import PeopleSSO
import Postgres
import Sessions
package import Web

/// A request of a signed-in person.
package struct AccountContext: Sendable {
    package let web: WebContext
    package let person: Person
    package let session: PersonSession
    /// The memberships that the session acts for, with their owners: tenants, or the platform.
    package let memberships: [(owner: UUID, membership: Membership)]
    /// The memberships whose tenants require a sign-in with their own provider first.
    let waiting: [(owner: UUID, membership: Membership)]
    /// For the field `csrf` of forms.
    package let formToken: FormToken
    package let now: Date

    /// How old a sign-in may be for a change of keys, members or factors, in seconds.
    static let recency = RecentSignIn.seconds

    /// Whether the session may change the account. The session of a tenant's provider may not, because the tenant decides on the provider,
    /// and the account may have other memberships.
    var isOfAccount: Bool { session.onlyTenant == nil }

    /// Whether the person gave all factors of the account within the last 10 minutes.
    var isRecent: Bool { isOfAccount && hasRecentSignIn }

    private var hasRecentSignIn: Bool { now < session.authenticatedAt.addingTimeInterval(Self.recency) }

    /// For the data of the account.
    /// - Throws: `SessionOfProvider`, which leads to a page with the reason.
    func requireAccount() throws(SessionOfProvider) {
        if !isOfAccount { throw SessionOfProvider() }
    }

    /// For changes of the account.
    /// - Throws: `SessionOfProvider`; `SignInAgain`, which leads to the sign-in and back to the page.
    func requireRecent() throws {
        try requireAccount()
        try requireRecentSignIn()
    }

    /// For the address. A tenant with a provider of its own decides by the address who must use it, so nobody leaves the provider by a change.
    /// - Throws: `ErrorPage` while a tenant waits for a sign-in with its provider.
    func requireOwnAddress() throws(ErrorPage) {
        if !waiting.isEmpty { throw .onlyOrganizationSignsIn.leading(to: "/account", .backToYourAccount) }
    }

    /// For actions on the memberships that the session sees. A sign-in with the provider of their tenant is enough.
    /// - Throws: `SignInAgain`.
    package func requireRecentSignIn() throws(SignInAgain) {
        if !hasRecentSignIn { throw SignInAgain() }
    }

    /// The actor and its origin for the audit trail.
    package var origin: AuditEvent.Origin {
        AuditEvent.Origin(
            actor: person.id.description, address: web.record.current.address, requestID: web.record.current.requestID,
            session: session.id)
    }
}

/// The action needs a new sign-in.
package struct SignInAgain: Error {
    package init() {}
}

/// The session of a tenant's provider does not change the account. Another sign-in there would not help.
struct SessionOfProvider: Error {}

// MARK: Finding the session

extension AccountEndpoints {
    /// The signed-in person of a request. Nil without a session that is active.
    ///
    /// A cookie of another form costs no statement, and unknown ones are limited per address.
    func account(_ request: Request, _ context: WebContext) async throws -> AccountContext? {
        let now = now()
        let digests = sessionDigests(in: request)
        guard let first = digests.first else { return nil }
        let found = try await limits.lookUp(first.base64URL, context.record) {
            try await people.repeatable.run(PersonSession.find(digests: digests)).map(PersonSession.init)
                .first { $0.authenticates(digests, with: keyring, at: now) }
        }
        guard let session = found, session.kind == .browser, session.isActive(at: now) else { return nil }
        // A write for each page would cost more than it tells.
        if now >= session.lastUsedAt.addingTimeInterval(60) {
            _ = try await people.repeatable.run(PersonSession.touch(session.id, at: now))
        }
        let (accounts, rows) = try await people.repeatable.run(Person.find(session.person), Membership.all(of: session.person))
        guard let person = try accounts.first(Person.init) else { return nil }
        context.record.noteAuthenticated()
        let all = try rows.map { (owner: try $0.get("tenant_id", as: UUID.self), membership: try Membership($0)) }
            .filter { session.onlyTenant?.uuid ?? $0.owner == $0.owner }
        let required = try await RequiredProviders.find(of: person.id, person.email, among: all.map(\.owner), in: people.repeatable)
        func waits(_ owner: UUID, _ membership: Membership) -> Bool {
            required.contains(owner) && !session.satisfiesProvider(of: owner, as: membership.role)
        }
        return AccountContext(
            web: context, person: person, session: session, memberships: all.filter { !waits($0.owner, $0.membership) },
            waiting: all.filter { waits($0.owner, $0.membership) },
            formToken: FormToken(for: session.id.description, with: keyring), now: now)
    }

    /// The digests of the session cookies in a request.
    func sessionDigests(in request: Request) -> [[UInt8]] {
        AccountCookie.session.values(in: request, publicURL: publicURL).compactMap { PersonSession.digests(of: $0, with: keyring) }
            .flatMap(\.self)
    }
}

// MARK: Actions of a signed-in person

extension AccountEndpoints {
    package typealias Handler = @Sendable (Request, WebContext) async throws -> Response

    /// The handler of a page of a signed-in person. Everyone else is led to the sign-in, and then back.
    package func page(_ body: @escaping @Sendable (Request, AccountContext) async throws -> Response) -> Handler {
        answering { request, context in
            let place = ReturnPath(request.uri.path)
            guard let account = try await account(request, context) else { return signInFirst(returningTo: place) }
            do { return try await body(request, account) } catch is SignInAgain {
                return signInFirst(returningTo: place)
            } catch is SessionOfProvider {
                return pageOfProvider(for: place).response(in: frame(request, context))
            }
        }
    }

    /// The handler of a form on such a page. It comes from this server, and has the token of the session.
    /// - Parameters:
    ///   - page: the path of the page with the form, to which a new sign-in leads.
    ///   - limit: the size of the longest form in bytes.
    package func form(
        on page: String, upTo limit: Int = AccountEndpoints.longestForm,
        _ body: @escaping @Sendable (Request, OwnForm, AccountContext) async throws -> Response
    ) -> Handler {
        answering { request, context in
            let (form, place) = (try await ownForm(request, upTo: limit), ReturnPath(page))
            guard let account = try await account(request, context) else { return signInFirst(returningTo: place) }
            guard FormToken.isRight(form[FormToken.field], for: account.session.id.description, with: keyring)
            else { throw ErrorPage.formNotCurrent }
            do { return try await body(request, form, account) } catch is SignInAgain {
                return signInFirst(returningTo: place)
            } catch is SessionOfProvider {
                return .seeOther(page)
            }
        }
    }

    /// The redirect to the sign-in.
    private func signInFirst(returningTo place: ReturnPath?) -> Response { .seeOther(signInPath(place)) }

    private func signInPath(_ place: ReturnPath?) -> String { "/account/sign-in" + (place.map { "?again=\($0.path)" } ?? "") }

    /// The page for a session of a tenant's provider, in place of one that changes the account: the reason, and the sign-in that can.
    private func pageOfProvider(for place: ReturnPath?) -> AccountPage {
        var page = AccountPage(.yourOrganizationSignsYouIn)
        page.details = [.providerChangesNothing, .organizationHasPassword, .signInToChange]
        page.links = [.init(text: .signInToYourAccount, path: signInPath(place))]
        return page.leadingBack()
    }
}
