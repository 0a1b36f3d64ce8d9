import Encoding
package import Hummingbird
import People
import Sessions
package import Tenancy
package import Web

/// The pages on which people sign in who manage a tenant or the platform, and on which they accept an invitation.
///
///     showSignIn → signIn → signInWithPassword → showSecondFactor → giveSecondFactor       → the session
///                                              → showAuthenticator → confirmAuthenticator  → the session, of a person without a factor
///     showPasskeySignIn → signInWithPasskey                                                → the session
///     showInvitation → acceptInvitation → showAuthenticator → confirmAuthenticator         → the account, the membership and the session
///                                       → a sign-in → showInvitation → acceptInvitation    → the membership of a person with an account
///
/// Until the session, everything is in a sealed cookie (`StepTicket`).
package struct PersonSignInRoutes: Sendable {
    let endpoints: AccountEndpoints
    /// For the names of tenants.
    let directory: TenantDirectory
    let limits = SignInLimits()

    package init(endpoints: AccountEndpoints, directory: TenantDirectory) {
        (self.endpoints, self.directory) = (endpoints, directory)
    }

    package var routes: RouteCollection<WebContext> {
        let routes = RouteCollection(context: WebContext.self)
        let pages = routes.limited(.page, endpoints.limits)
        pages.on(.get, "account/sign-in", "showSignIn", use: endpoints.answering(showSignIn))
        pages.on(.post, "account/sign-in", "signIn", use: endpoints.stepForm(signIn))
        pages.on(.post, "account/sign-in/password", "signInWithPassword", use: endpoints.stepForm(signInWithPassword))
        pages.on(.get, "account/sign-in/passkey", "showPasskeySignIn", use: endpoints.answering(showPasskeySignIn))
        pages.on(.post, "account/sign-in/passkey", "signInWithPasskey", use: endpoints.stepForm(signInWithPasskey))
        pages.on(.get, "account/sign-in/code", "showSecondFactor", use: endpoints.answering(showSecondFactor))
        pages.on(.post, "account/sign-in/code", "giveSecondFactor", use: endpoints.stepForm(giveSecondFactor))
        pages.on(.get, "account/sign-in/authenticator", "showAuthenticator", use: endpoints.answering(showAuthenticator))
        pages.on(.post, "account/sign-in/authenticator", "confirmAuthenticator", use: endpoints.stepForm(confirmAuthenticator))
        pages.on(.get, "account/invitation", "showInvitation", use: endpoints.answering(showInvitation))
        pages.on(.post, "account/invitation", "acceptInvitation", use: endpoints.answering(acceptInvitation))
        pages.on(.post, "account/sign-out", "signOut", use: endpoints.form(on: "/account", signOut))
        return routes
    }
}
