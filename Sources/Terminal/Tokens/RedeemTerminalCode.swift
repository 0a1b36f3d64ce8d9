import Access
import ClientKeys
import Encoding
import Foundation
import Hummingbird
import People
import Postgres
import Sealing
import Sessions
import Web

extension TerminalGrant {
    /// Redeems a code once (RFC 6749, section 4.1.3; RFC 7636, section 4.5). A second use ends the session of the first one.
    func redeemTerminalCode(_ form: Form, _ request: Request, _ context: WebContext) async throws -> TerminalToken {
        guard let presented = form["code"] else { throw OAuthError(.invalidRequest, "code is missing.") }
        guard let redirectURI = form["redirect_uri"]
        else { throw OAuthError(.invalidRequest, "redirect_uri is missing. Send the one from the authorization request.") }
        let (now, code): (Date, TerminalCode)
        now = self.now()
        do {
            code = try TerminalCode(opening: presented, redirectURI: redirectURI, verifier: form["code_verifier"], with: keyring)
        } catch { throw OAuthError(.invalidGrant, error.description) }
        guard !code.isExpired(at: now) else {
            // It is too late for a token. If the code was redeemed in time, two parties have it.
            _ = try await replay(of: code.approval, "code", context, at: now)
            throw OAuthError(.invalidGrant, "The code has expired. Redeem it within one minute.")
        }
        let (secret, keyring, use) = (makeSecret(), keyring, code.use)
        let terminal = TerminalDevice(name: code.name, device: Device(request, context))
        do {
            try await database.transaction { db in
                let isFirst = try await !db.run(SingleUses.insertIfNew(use.digest, of: ID(.platform), until: use.end)).isEmpty
                guard isFirst else { throw CodeReplayed() }
                try await code.approval.start(secret, on: terminal, keyring: keyring, context, in: db, at: now)
            }
        } catch is CodeReplayed {
            throw try await replay(of: code.approval, "code", context, at: now)
        } catch is ApprovalEnded { throw OAuthError(.invalidGrant, "The person signed out after the approval. Log in again.") }
        return TerminalToken(secret, of: code.approval)
    }
}

/// The code was redeemed before. The transaction is rolled back.
private struct CodeReplayed: Error {}

extension TerminalCode.Refusal: CustomStringConvertible {
    /// The text for the developer.
    var description: String {
        switch self {
        case .unreadable: "The code was not issued here."
        case .otherRedirectURI: "redirect_uri differs from the one in the authorization request."
        case .verifierMissing: "code_verifier is missing."
        case .verifierWrong: "code_verifier does not match the code_challenge."
        }
    }
}
