package import Access
package import ClientKeys
import Encoding
package import Foundation
import Postgres
import Tenancy
import Web

extension Tokens {
    /// The authorization code grant.
    func redeemCode(_ form: Form, _ key: KeyThumbprint?, _ application: Application, _ tenant: Tenant) async throws -> TokenReply {
        guard let presented = form["code"] else { throw OAuthError(.invalidRequest, "code is missing.") }
        guard let redirectURI = form["redirect_uri"]
        else { throw OAuthError(.invalidRequest, "redirect_uri is missing. Send the one from the authorization request.") }
        let now = endpoints.now()
        let target = try await target(of: form, application, tenant)
        return try await redeem(
            presented, redirectURI: redirectURI, verifier: form["code_verifier"], provenKey: key, by: application, of: tenant,
            at: now
        ) { login in
            try await issueTokens(for: login, to: application, of: tenant, boundTo: key, target: target, at: now)
        }
    }

    /// Redeems a code once, with all its bindings.
    ///
    /// - Parameters:
    ///   - redirectURI: the redirect URI of the authorization request; nil in a protocol whose token request does not repeat it.
    ///   - key: the key that the request proves.
    ///   - issue: starts the session of the login.
    /// - Throws: `OAuthError` if the code is invalid, expired or used. The second use ends the session of the first. Another code of the
    ///   same login does so too, but not for 30 s, because a person can send the form of a page twice.
    package func redeem<Reply: Sendable>(
        _ presented: String, redirectURI: String?, verifier: String?, provenKey key: KeyThumbprint? = nil, by application: Application,
        of tenant: Tenant, at now: Date,
        issue: (CompletedLogin) async throws -> Reply
    ) async throws -> Reply {
        let code: AuthorizationCode
        do {
            code = try AuthorizationCode(
                opening: presented, with: endpoints.keyring, tenant: tenant.id, application: application.id, redirectURI: redirectURI,
                verifier: verifier, provenKey: key)
        } catch {
            throw OAuthError(error == .otherKey ? .invalidDPoPProof : .invalidGrant, error.description)
        }
        let login = CompletedLogin(code)
        return try await spent.refuse(.redeem(login.session, issuedAt: code.issuedAt), by: .init(application, tenant), at: now) {
            guard !code.isExpired(at: now) else {
                // It is too late for tokens. If the code was redeemed in time, two parties have it.
                _ = try await revoke(code, application, tenant, at: now)
                throw OAuthError(.invalidGrant, "The code has expired. Redeem it within one minute.")
            }
            do {
                return try await issue(login)
            } catch let error as DatabaseError where error.constraint == "session_pkey" {
                let isRevoked = try await revoke(code, application, tenant, at: now)
                throw OAuthError(
                    .invalidGrant,
                    isRevoked || !code.followsQuestion
                        ? "The code was redeemed before. Its session is revoked. The user must sign in again."
                        : "This login received its tokens before, with this code or another one.")
            }
        }
    }

    /// Runs the body, which starts the session of a login. If the session exists already, two parties have the credential, and both lose
    /// its tokens.
    /// - Parameter credential: the name of the credential in the error.
    /// - Throws: `OAuthError` for a second use; the errors of the body.
    package func startingOnce<Reply: Sendable>(
        _ login: ID<LoginID>, with credential: String, by application: Application, of tenant: Tenant, at now: Date,
        _ body: () async throws -> Reply
    ) async throws -> Reply {
        do { return try await body() } catch let error as DatabaseError where error.constraint == "session_pkey" {
            throw try await replay(of: login, with: credential, by: application, of: tenant, at: now)
        }
    }

    /// Ends the session of a login whose credential is used again, if it has one.
    /// - Returns: the error for the caller.
    package func replay(
        of login: ID<LoginID>, with credential: String, by application: Application, of tenant: Tenant, at now: Date
    ) async throws -> OAuthError {
        _ = try await OwnerDatabase(pool, tenant: tenant.id).run(
            Session.end(ID(login.uuid), of: tenant.id, because: .codeReplayed, actor: application.id, at: now))
        return OAuthError(.invalidGrant, "The \(credential) was used before. Its session is revoked. The user must sign in again.")
    }

    /// Ends the session of a code that two parties have, because one of them is an attacker (RFC 6749, section 4.1.2). Both lose its
    /// tokens.
    /// - Returns: whether the session was active, and has ended now.
    private func revoke(_ code: AuthorizationCode, _ application: Application, _ tenant: Tenant, at now: Date) async throws -> Bool {
        let ended = try await OwnerDatabase(pool, tenant: tenant.id).run(
            Session.end(
                ID(code.login.uuid), of: tenant.id, because: .codeReplayed, actor: application.id, unless: code.isSecondOfForm(at: now),
                at: now))
        return !ended.isEmpty
    }
}

extension AuthorizationCode {
    /// Whether another code of the login started the session a moment ago, as a condition. The same applies to a refresh token that is sent
    /// twice.
    fileprivate func isSecondOfForm(at now: Date) -> SQL {
        guard followsQuestion else { return "false" }
        return "COALESCE(code_issued_at <> \(issuedAt) AND created_at > \(now.addingTimeInterval(-RefreshToken.grace)), false)"
    }
}

extension AuthorizationCode.Refusal: CustomStringConvertible {
    /// The text for the developer. It names the failed binding only where that does not help a thief.
    package var description: String {
        switch self {
        case .unreadable, .otherTenant, .otherApplication: "The code was not issued to this application."
        case .otherRedirectURI: "redirect_uri differs from the one in the authorization request."
        case .verifierMissing: "code_verifier is missing."
        case .verifierUnexpected: "code_verifier was sent, but the authorization request had no code_challenge."
        case .verifierWrong: "code_verifier does not match the code_challenge."
        case .otherKey: "The authorization request has a dpop_jkt. Send a DPoP proof of this key."
        }
    }
}
