import Foundation
import Postgres
import Tenancy
import Usage
import Web

extension Login {
    /// The authorization code grant. Session, bill and the reading of the user are one transaction and
    /// one round trip: tokens are made only once the login is in the ledger.
    func redeemCode(_ form: Form, _ application: Application, _ tenant: Tenant) async throws -> TokenReply {
        guard let presented = form["code"] else { throw OAuthError(.invalidRequest, "code is missing.") }
        guard let redirectURI = form["redirect_uri"]
        else { throw OAuthError(.invalidRequest, "redirect_uri is missing: send the one of the authorization request.") }
        let now = now()
        let code: AuthorizationCode
        do {
            code = try AuthorizationCode(
                opening: presented, with: keyring, tenant: tenant.id, application: application.id, redirectURI: redirectURI,
                verifier: form["code_verifier"])
        } catch {
            throw OAuthError(.invalidGrant, error.description)
        }
        guard !code.isExpired(at: now) else {
            // Too late for tokens, but a sign all the same that two have the code, if it was redeemed in time.
            try await revoke(code, application, tenant, at: now)
            throw OAuthError(.invalidGrant, "The code has expired: redeem it within a minute.")
        }

        // Had before anything is billed: a login that cannot be answered must not cost.
        let key = try await signingKeys.current(application.signingAlgorithm, of: tenant.id)
        let database = OwnerDatabase(pool, tenant: tenant.id)
        let session = ID<Session>(code.login.uuid)
        let written: [Rows]
        do {
            written = try await database.run([
                Session.insert(code, lasting: application.sessionSeconds, at: now),
                UsageEvent.insert(
                    login: code.login.uuid, tenant: tenant.id, application: application.id, user: code.user.uuid,
                    connection: code.connection, at: now),
                User.find(code.user, of: tenant.id),
            ])
        } catch let error as DatabaseError where error.constraint == "session_pkey" {
            try await revoke(code, application, tenant, at: now)
            throw OAuthError(.invalidGrant, "The code was redeemed before. What it had been given for is revoked.")
        } catch let error as DatabaseError where error.sqlState == "23503" {
            throw OAuthError(.invalidGrant, "The user no longer exists.")
        }
        guard let user = try written[2].first(User.init)
        else { throw OAuthError(.invalidGrant, "The user no longer exists.") }

        let access = try AccessToken(
            issuer: issuer(tenant), user: user.id, application: application, tenant: tenant.id, session: session, scope: code.scope,
            at: now
        ).signed(by: key)
        let idToken =
            try code.scope.split(separator: " ").contains("openid")
            ? IdentityClaims(
                issuer: issuer(tenant), user: user, application: application.id, session: session, scope: code.scope, nonce: code.nonce,
                authenticatedAt: code.authenticatedAt, accessToken: access, at: now
            ).signed(by: key) : nil
        return TokenReply(
            access_token: access, expires_in: application.accessTokenSeconds,
            refresh_token: RefreshToken(session, generation: 0).text(of: tenant.id, with: keyring), id_token: idToken, scope: code.scope)
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
