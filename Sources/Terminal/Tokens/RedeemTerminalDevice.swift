import Access
import Encoding
import Foundation
import Hummingbird
import People
import Postgres
import Sealing
import Sessions
import Web

extension TerminalGrant {
    /// Records a poll. If the person has approved, it redeems the device code once (RFC 8628, section 3.4). A second use ends the session.
    /// - Throws: `OAuthError`, with the codes of RFC 8628, section 3.5, until the person has approved.
    func redeemTerminalDevice(_ form: Form, _ context: WebContext) async throws -> TerminalToken {
        guard let text = form["device_code"] else { throw OAuthError(.invalidRequest, "device_code is missing.") }
        let now = now()
        guard let code = TerminalDeviceCode.open(text, with: keyring, at: now)
        else { throw OAuthError(.invalidGrant, "The device code was not issued here.") }
        // An old code costs no statement.
        guard !code.isExpired else { throw Self.expired }
        guard polls.take(code.id.uuid, at: .now).isGranted,
            pollsOfNetwork.take(CallerNetwork.site(of: context.record.current.address), at: .now).isGranted
        else { throw Self.tooFast }
        let row = try await database.run(PersonDevice.poll(code.id, at: now)).first { $0 }
        // The code is genuine, so its row was deleted.
        guard let row else { throw Self.expired }
        let device = try PersonDevice(row)
        guard now < device.expiresAt else { throw Self.expired }
        guard try !row.get("is_early", as: Bool.self) else { throw Self.tooFast }
        // The seal proves the approval and its person. The row alone proves nothing.
        func approval() throws -> TerminalApproval {
            let sealed = try row.get("approval", as: String?.self) ?? ""
            guard let approval = TerminalApproval(opening: sealed, for: device.id, with: keyring) else { throw Self.expired }
            return approval
        }

        switch device.state {
        case .pending: throw OAuthError(.authorizationPending, "The person has not decided yet. Retry after the interval.")
        case .refused: throw OAuthError(.accessDenied, "The person refused this terminal.")
        case .redeemed: throw try await replay(of: approval(), "device code", context, at: now)
        case .approved:
            let (approval, secret, keyring) = (try approval(), makeSecret(), keyring)
            do {
                try await database.transaction { db in
                    guard try await !db.run(PersonDevice.redeem(device.id)).isEmpty else { throw DeviceRedeemed() }
                    try await approval.start(secret, on: device.terminal, keyring: keyring, context, in: db, at: now)
                }
            } catch is DeviceRedeemed {
                throw try await replay(of: approval, "device code", context, at: now)
            } catch is ApprovalEnded { throw OAuthError(.accessDenied, "The person signed out after the approval. Log in again.") }
            return TerminalToken(secret, of: approval)
        }
    }

    private static let expired = OAuthError(.expiredToken, "The device code has expired. Start again with a new one.")
    private static let tooFast = OAuthError(
        .slowDown, "The terminal polls too often. Wait \(PersonDevice.interval) seconds longer from now on.")
}

/// Another poll was first. The transaction is rolled back.
private struct DeviceRedeemed: Error {}
