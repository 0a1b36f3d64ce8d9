import Access
import Foundation
import Hummingbird
import Pages
import People
import Postgres
import Web

extension AccountRoutes {
    /// Asks whether the person wants to leave a tenant. The last owner gets the reason why this is not possible, and the only operator a
    /// warning.
    @Sendable
    func showMembership(_ request: Request, _ account: AccountContext) async throws -> Response {
        try account.requireRecentSignIn()
        let frame = endpoints.frame(request, account.web)
        guard let (owner, membership) = membership(account) else { return .seeOther("/account") }
        var page = try await leavePage(account, membership, of: owner, in: frame)
        let database = endpoints.people.repeatable
        if try await membership.isOnly(.owner, of: owner, in: database) { (page.details, page.forms) = ([.lastOwnerStays], []) }
        if try await membership.isOnly(.platformOperator, of: owner, in: database) { page.details.append(.onlyOperatorLeaves) }
        return page.response(in: frame)
    }

    /// Ends a membership of the person. The last owner of a tenant stays.
    @Sendable
    func leaveTenant(_ request: Request, _ form: OwnForm, _ account: AccountContext) async throws -> Response {
        try account.requireRecentSignIn()
        guard let (owner, membership) = membership(account) else { return .seeOther("/account") }
        do {
            try await endpoints.people.transaction { db in
                try await Membership.leave(
                    membership.id, of: account.person.id, owner: owner, by: account.origin, in: db, at: account.now)
            }
        } catch Membership.LeaveRefusal.lastOwner {
            let frame = endpoints.frame(request, account.web)
            var page = try await leavePage(account, membership, of: owner, in: frame)
            (page.problem, page.status, page.details, page.forms) = (.lastOwnerStays, .conflict, [], [])
            return page.response(in: frame)
        } catch Membership.LeaveRefusal.ended {
            // Another request was faster, so the person has left.
            account.web.record.note(outcome: "ended")
        }
        return .seeOther("/account")
    }

    private func membership(_ account: AccountContext) -> (owner: UUID, membership: Membership)? {
        guard let id = account.web.parameters.get("member").flatMap({ ID<Membership>($0) }) else { return nil }
        return account.memberships.first { $0.membership.id == id }
    }

    private func leavePage(
        _ account: AccountContext, _ membership: Membership, of owner: UUID, in frame: PageFrame
    ) async throws -> AccountPage {
        var page =
            owner == .platform
            ? AccountPage(.askToLeaveInstallation)
            : AccountPage(.askToLeave, values: [.organization: try await name(of: owner, in: frame)])
        page.details = [.leavingEndsAccess]
        page.forms = [AccountForm("/account/memberships/\(membership.id)/leave", account.formToken, button: .leave)]
        return page.leadingBack()
    }
}
