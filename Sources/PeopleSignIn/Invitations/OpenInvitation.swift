import Access
import Foundation
import HTTPTypes
import Hummingbird
import Pages
import People
import Postgres
import Sessions
import Tenancy
import Web

/// The invitation of a link that can be accepted.
struct OpenInvitation: Sendable {
    let invitation: Invitation
    let owner: UUID
    /// The name of the tenant, or of the product for operators.
    let organization: String
    /// The name of a role that the tenant defined.
    let customRole: String?

    func role(in language: Language) -> String {
        switch invitation.role {
        case .builtIn(let role): language.text(role.text)
        case .custom: customRole ?? ""
        }
    }
}

extension PersonSignInRoutes {
    /// The invitation of a token. Nil unless it can be accepted. It reads, and uses nothing up.
    /// - Throws: an `ErrorPage` if it was accepted.
    func openInvitation(_ token: String) async throws -> OpenInvitation? {
        guard let digests = Invitation.digests(of: token, with: endpoints.keyring),
            let row = try await endpoints.people.repeatable.run(Invitation.find(digests: digests)).first(where: { _ in true })
        else { return nil }
        let (invitation, owner, now) = (try Invitation(row), try row.get("tenant_id", as: UUID.self), endpoints.now())
        guard try invitation.isProven(row, by: digests, with: endpoints.keyring, at: now) else { return nil }
        switch invitation.state(at: now) {
        case .pending: break
        case .accepted: throw ErrorPage.invitationIsUsed
        case .expired: return nil
        }
        var organization = AccountEndpoints.product
        if owner != .platform {
            // Nobody joins a tenant that is suspended or deleted.
            guard let tenant = try await directory.find(idOrSlug: ID<Tenant>(owner).description)?.tenant, tenant.status == .active
            else { return nil }
            organization = tenant.name
        }
        var customRole: String?
        if case .custom(let id) = invitation.role {
            customRole = try await endpoints.people.repeatable.run(CustomRole.find(id, of: owner)).first(CustomRole.init)?.name
        }
        return OpenInvitation(invitation: invitation, owner: owner, organization: organization, customRole: customRole)
    }

    /// The invitation of a request. An address pays for each unknown token.
    /// - Throws: an `ErrorPage` if it cannot be accepted.
    func invitation(_ token: String?, _ context: WebContext) async throws -> OpenInvitation {
        guard let token else { throw ErrorPage.invitationOver }
        guard let open = try await endpoints.limits.lookUp(token, context.record, { try await openInvitation(token) })
        else { throw ErrorPage.invitationOver }
        return open
    }
}

extension ErrorPage {
    /// For a person who opens the link again, or sends its form twice. The account leads to the sign-in without a session.
    static let invitationIsUsed = ErrorPage(
        outcome: "invitation_used", status: .notFound, title: .invitationIsUsed, detail: .ifYouAcceptedIt, remedy: .ifYouDidNotAcceptIt
    ).leading(to: ReturnPath.account.path, .continueToAccount)
    /// One page for all others, because the token is all that the person has.
    static let invitationOver = ErrorPage(
        outcome: "invitation_over", status: .notFound, title: .invitationIsOver, detail: .invitationWasUsed, remedy: .askForAnInvitation)
}
