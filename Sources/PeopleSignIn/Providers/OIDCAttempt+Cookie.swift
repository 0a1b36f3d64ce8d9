import Access
import ClientKeys
import Encoding
import Foundation
import Hummingbird
import Pages
import People
import PeopleSSO
import Postgres
import Sealing
import Sessions
import Web

extension AccountEndpoints {
    /// The attempt that a response belongs to. It is used up, so that no response counts twice.
    /// - Returns: nil for a response to no attempt of this browser: a forged one, of another browser, too late, or repeated.
    func attempt(_ request: Request, _ query: Form, for purposes: Set<OIDCAttempt.Purpose>) async throws -> OIDCAttempt? {
        guard let state = query["state"], state.utf8.count <= 100 else { return nil }
        let attempt = AccountCookie.provider.values(in: request, publicURL: publicURL).lazy
            .compactMap { OIDCAttempt(sealed: $0, with: keyring, at: now()) }
            .first { constantTimeEqual(Array($0.state.utf8), Array(state.utf8)) }
        guard let attempt, purposes.contains(attempt.purpose) else { return nil }
        let end = attempt.startedAt.addingTimeInterval(OIDCAttempt.lifetime)
        let isNew = try await !people.run(SingleUses.insertIfNew(attempt.digest, of: ID(UUID.platform), until: end)).isEmpty
        return isNew ? attempt : nil
    }

    /// The cookie that ends an attempt.
    var attemptRemoval: String { AccountCookie.provider.removal(publicURL) }
}

extension ErrorPage {
    static let responseBelongsToNoAttempt = ErrorPage(
        outcome: "no_attempt", status: .badRequest, title: .signInDidNotFinish, detail: .responseBelongsToNoSignIn,
        remedy: .openThePageAgain)
}
