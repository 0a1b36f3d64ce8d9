import Access
import Foundation
package import Hummingbird
import Pages
import Sessions
package import Tenancy
package import Web

// Tokens in the URL of the redirect, for command-line clients of other products that cannot redeem a code.
extension SignInRoutes {
    /// Starts a login whose tokens go to the redirect URI. Like `authorize`, it writes nothing.
    /// - Throws: an `ErrorPage`, or a `RedirectedError` if the return address is certain.
    package func authorizeTokens(
        to redirectURI: String?, state: String?, for application: Application, of tenant: TenantConfiguration, _ request: Request
    ) throws -> Response {
        let asked = try AuthorizationRequest(
            tokensTo: redirectURI, state: state, of: application, issuer: endpoints.issuer(tenant.tenant))
        return try begin(asked, delivering: .tokens, for: tenant, request, language: request.askedLanguage)
    }

    /// Receives Apple's form for a login of this application, at another address than the Return URL.
    package func callback(
        for application: Application, of tenant: TenantConfiguration, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        try await finish(request, context) { place in
            place.tenant == tenant.tenant.id && place.application == application.id
                && place.host == tenant.tenant.addresses.current ? tenant : nil
        }
    }

    /// The parameters for the application after a login: the code, or the tokens. The tokens cost a login at once, and a code does when it
    /// is redeemed.
    func delivery(
        of code: AuthorizationCode, to attempt: LoginAttempt, _ application: Application, _ tenant: Tenant, at now: Date
    ) async throws -> [(String, String)] {
        switch attempt.delivery {
        case .code, .codeWithoutURI:
            return [("code", code.sealed(with: endpoints.keyring))]
        case .tokens:
            let tokens = try await signInNatively.tokens.issueTokens(for: CompletedLogin(code), to: application, of: tenant, at: now)
            metrics.count(.token, "ok")
            return [("access_token", tokens.access_token), ("refresh_token", tokens.refresh_token ?? "")]
        // `confirmIdentity` returns the result, and there is no login.
        case .identity:
            return []
        case .device:
            return [("login", SealedLogin.seal(code, for: attempt.state ?? "", with: endpoints.keyring))]
        }
    }
}

extension Application {
    /// Whether the redirect URI of a login attempt is still registered.
    func isRegistered(for attempt: LoginAttempt) -> Bool {
        switch attempt.delivery {
        case .code, .codeWithoutURI, .identity: mayRedirect(to: attempt.redirectURI)
        case .tokens: mayReceiveTokens(at: attempt.redirectURI)
        // A page of this server, which checks the application again.
        case .device: true
        }
    }
}
