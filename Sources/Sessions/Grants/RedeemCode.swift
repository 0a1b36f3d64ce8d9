import Access
import Foundation
import Postgres
import Tenancy
import Web

extension Tokens {
    /// The authorization code grant.
    func redeemCode(_ form: Form, _ application: Application, _ tenant: Tenant) async throws -> TokenReply {
        guard let presented = form["code"] else { throw OAuthError(.invalidRequest, "code is missing.") }
        guard let redirectURI = form["redirect_uri"]
        else { throw OAuthError(.invalidRequest, "redirect_uri is missing: send the one of the authorization request.") }
        let now = endpoints.now()
        let code: AuthorizationCode
        do {
            code = try AuthorizationCode(
                opening: presented, with: endpoints.keyring, tenant: tenant.id, application: application.id, redirectURI: redirectURI,
                verifier: form["code_verifier"])
        } catch {
            throw OAuthError(.invalidGrant, error.description)
        }
        let login = CompletedLogin(code)
        return try await spent.refuse(.redeem(login.session), by: .init(application, tenant), at: now) {
            guard !code.isExpired(at: now) else {
                // Too late for tokens. But if it was redeemed in time, two have the code.
                try await revoke(code, application, tenant, at: now)
                throw OAuthError(.invalidGrant, "The code has expired: redeem it within a minute.")
            }
            do {
                return try await issueTokens(for: login, to: application, of: tenant, at: now)
            } catch let error as DatabaseError where error.constraint == "session_pkey" {
                try await revoke(code, application, tenant, at: now)
                throw OAuthError(.invalidGrant, "The code was redeemed before. Its session is revoked; the user must sign in again.")
            }
        }
    }

    /// RFC 6749, section 4.1.2: two have the code, and one of them should not. Neither keeps anything.
    private func revoke(_ code: AuthorizationCode, _ application: Application, _ tenant: Tenant, at now: Date) async throws {
        _ = try await OwnerDatabase(pool, tenant: tenant.id).run(
            Session.end(ID(code.login.uuid), of: tenant.id, because: .codeReplayed, actor: application.id, at: now))
    }
}

extension AuthorizationCode.Refusal: CustomStringConvertible {
    /// For the developer; which of several bindings failed is told only where it cannot help a thief.
    var description: String {
        switch self {
        case .unreadable, .otherTenant, .otherApplication: "The code is not one that was issued to this application."
        case .otherRedirectURI: "redirect_uri differs from the one of the authorization request."
        case .verifierMissing: "code_verifier is missing."
        case .verifierUnexpected: "code_verifier was sent, but the authorization request had no code_challenge."
        case .verifierWrong: "code_verifier does not match the code_challenge."
        }
    }
}
