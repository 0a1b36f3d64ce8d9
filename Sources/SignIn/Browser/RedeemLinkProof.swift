import Access
import Foundation
import Hummingbird
import Sessions
import Tenancy
import Users
import Web

extension SignInRoutes {
    /// Gives the waiting identity to the user whose mailbox the person reads, and continues the sign-in with a code of this user. The same
    /// form again links nothing more, and gets another code of the same login.
    ///
    /// Everything is checked again, as after a sign-in to the user. Unlike there, nobody is signed in if nothing is linked, because the
    /// mail is the only proof.
    @Sendable
    func redeemLinkProof(_ request: Request, _ context: WebContext) async throws -> Response {
        let decision = try await linkDecision(.code, request, context, tries: proofTries)
        let (waiting, attempt, tenant, now) = (decision.waiting, decision.attempt, decision.tenant, endpoints.now())
        guard leadsBack(to: tenant.tenant.addresses)
        else { throw await keepingName(.mailedLinkUnavailable, of: decision, request, at: now) }
        guard let proof = LinkProof(opening: decision.form["proof"] ?? "", of: tenant.tenant.id, with: endpoints.keyring),
            proof.proves(waiting, of: attempt, at: now)
        else { throw ErrorPage.linkUnreadable.leading(to: decision.application) }
        return try await complete(decision, request, context, at: now) { token, asked, connection in
            switch await link(waiting, of: attempt, to: waiting.candidate, tenant, context, at: now) {
            case .linked: break
            case .failed: throw ErrorPage.outageAtCallback
            case .expired, .otherUser, .switchedOff, .changed:
                throw await keepingName(.accountChanged, of: decision, request, at: now)
            }
            // The name is stored already, if the user had none. This call stores what else Apple told, as at each sign-in.
            let user = try await saveUser(
                token, nil, isNewConsent: waiting.isNewConsent, refreshToken: waiting.refreshToken, asked, connection, at: now)
            guard [nil, waiting.candidate].contains(user) else { throw await keepingName(.accountChanged, of: decision, request, at: now) }
            return user
        }
    }
}
