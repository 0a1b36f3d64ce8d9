import Access
import Foundation
import Hummingbird
import Pages
import People
import PeopleSSO
import Postgres
import Tenancy
import Web

extension PersonSignInRoutes {
    /// The page after the address, if a tenant with a provider has proved its domain. It is the same for each address of the domain.
    ///
    /// People of the domain who are not members of the tenant use their password.
    func providerPage(
        _ step: StepTicket, email: String, of provider: AddressProvider?, problem: Text? = nil
    ) async throws -> AccountPage {
        var address = AccountForm.Field.email(email)
        address.isFixed = true
        let token = endpoints.formToken(step)
        var password = AccountForm(
            "/account/sign-in", token, hidden: [(name: "email", value: email), (name: "with", value: "password")], button: .usePassword)
        password.isSecondary = true
        var page = AccountPage(.signInToYourAccount)
        (page.problem, page.details) = (problem, [.otherServiceSignsYouIn])
        if let provider, let tenant = try await directory.find(idOrSlug: provider.tenant.description)?.tenant {
            (page.details, page.values[.organization]) = ([.organizationSignsYouIn], tenant.name)
        }
        page.forms = [AccountForm("/account/sso", token, fields: [address], button: .signInAtOrganization)]
        if problem == nil { page.forms.append(password) } else { page.status = .forbidden }
        if endpoints.relyingParty != nil { page.links = [.init(text: .usePasskey, path: "/account/sign-in/passkey")] }
        page.links.append(.init(text: .useAnotherAddress, path: "/account/sign-in"))
        return page
    }
}

extension AccountEndpoints {
    /// Whether a person may sign in only with the provider of a tenant: each tenant of the person requires its own. Otherwise, the sign-in is
    /// of use, and acts for the other tenants only. It is asked after a right password, Apple Account or passkey, or after the code of a
    /// recovery, so that nobody else learns who is a member.
    func mustUseProvider(_ person: Person, hasPasskey: Bool) async throws -> Bool {
        let memberships = try await people.repeatable.run(Membership.all(of: person.id)).map { row in
            (owner: try row.get("tenant_id", as: UUID.self), role: try Membership(row).role)
        }
        let required = try await RequiredProviders.find(
            of: person.id, person.email, among: memberships.map(\.owner), in: people.repeatable)
        return !memberships.isEmpty
            && memberships.allSatisfy { required.contains($0.owner) && !(hasPasskey && $0.role == .builtIn(.owner)) }
    }

    /// The provider that signs an invited person in: that of the tenant, for an address of its proved domains. If it is required, a person
    /// without an account accepts the invitation only there.
    func provider(of open: OpenInvitation) async throws -> AddressProvider? {
        try await AddressProvider.find(open.invitation.email, in: people.repeatable).flatMap { $0.tenant.uuid == open.owner ? $0 : nil }
    }
}
