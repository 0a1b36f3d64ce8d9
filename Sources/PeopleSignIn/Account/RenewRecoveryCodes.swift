import Access
import Factors
import Hummingbird
import Pages
import People
import Postgres
import Sealing
import Web

extension AccountRoutes {
    /// Asks whether the person wants new recovery codes, because the earlier ones end.
    @Sendable
    func showRecoveryCodes(_ request: Request, _ account: AccountContext) async throws -> Response {
        try account.requireRecent()
        let unused = try await endpoints.people.repeatable.run(StoredRecoveryCode.unused(of: account.person.id)).count
        var page = AccountPage(.askForNewCodes, values: [.count: "\(unused)"])
        page.details = [.unusedCodes, .earlierCodesEnd]
        page.forms = [AccountForm("/account/recovery-codes", account.formToken, button: .makeNewCodes)]
        return page.leadingBack().response(in: endpoints.frame(request, account.web))
    }

    /// Makes new recovery codes, which replace all earlier ones. Only this response shows them.
    @Sendable
    func renewRecoveryCodes(_ request: Request, _ form: OwnForm, _ account: AccountContext) async throws -> Response {
        try account.requireRecent()
        let (codes, person, frame) = (RecoveryCode.makeSet(), account.person, endpoints.frame(request, account.web))
        let digests = codes.map { $0.digest(for: person.id.uuid, with: endpoints.keyring) }
        _ = try await endpoints.people.run(
            StoredRecoveryCode.replace(of: person.id, digests: digests, at: account.now)
                + (try endpoints.notice(.codesRenewed, of: person, in: frame, from: account.web, at: account.now))
                + [try event("renewRecoveryCodes", account)])
        return recoveryCodesPage(codes).response(in: frame)
    }

    func recoveryCodesPage(_ codes: [RecoveryCode]) -> AccountPage {
        var page = AccountPage(.recoveryCodes)
        (page.details, page.codes) = ([.keepTheCodes], codes.map { $0.text.reveal() })
        return page.leadingBack()
    }
}
