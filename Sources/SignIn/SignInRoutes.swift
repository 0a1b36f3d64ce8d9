import Access
import Accounts
package import Apple
import Foundation
package import Hummingbird
package import Mail
import Postgres
import Sessions
package import Tenancy
package import Users
package import Web

/// Turns a sign-in with Apple into a session.
///
///     application → GET  /t/{tenant}/oauth2/authorize     Authorize       client, redirect URI, PKCE: from memory
///                 → 302  Apple                            LoginAttempt    sealed into `state`, tied to the browser by a cookie
///     Apple       → POST …/auth/apple/callback            AppleCallback   verify, redeem at Apple, save the user
///                 → 303  redirect_uri                     AuthorizationCode  sealed, one minute
///     application → POST /t/{tenant}/oauth2/token         RedeemCode      session and usage event, one transaction
///                 → 200  tokens                           RefreshTokens   afterwards
///
/// An application may send its request to `POST /t/{tenant}/oauth2/par` first (PushAuthorizationRequest). The browser then carries only a
/// sealed reference to it.
///
/// An application on a device needs no browser. It sends the result of Apple's framework to the callback, or to the token endpoint,
/// and receives tokens at once (SignInNatively).
///
/// The attempt and the code are sealed values, not rows, so an unauthenticated caller who starts a million logins writes nothing.
/// Before a code, pages may ask whose account it is (AskToLink), for the consent to an application of a third party, and for a name
/// (Question). The name, which Apple sends once, is saved at the callback. The usage event is saved together with its session.
package final class SignInRoutes: Sendable {
    let endpoints: TenantEndpoints
    let apple: AppleClient
    let redeemAtApple: RedeemAtApple
    let saveUser: SaveUser
    let signInNatively: SignInNatively
    /// The remaining calls to Apple per attempt in a browser.
    let callbackTries = LoginAttempt.callbackTries
    /// The remaining confirmations of a mailed link per attempt.
    let proofTries = LoginAttempt.callbackTries
    /// The remaining forms that ask for a mail per attempt. They take nothing from the other ways, and a person who reloads the page gets
    /// pages about the limit of mails for some time.
    let mailTries = TokenBuckets<UUID>(perMinute: 1, holding: 10)
    /// The remaining silent sign-ins per session of a browser. Each creates a session of an application. By default, none is billed. The
    /// answers to a page that holds a sign-in take from it, too. The count is in the memory of this process. Only a cookie or a ticket of
    /// this server takes memory here.
    let silentSignIns = TokenBuckets<UUID>(perMinute: 10, holding: 30)
    /// Mails the proof of an account. Nil if the server sends no mail.
    let mail: MailSender?
    let metrics: Metrics

    package init(
        endpoints: TenantEndpoints, apple: AppleClient, redeemAtApple: RedeemAtApple, saveUser: SaveUser, signInNatively: SignInNatively,
        mail: MailSender?, metrics: Metrics
    ) {
        (self.endpoints, self.apple, self.redeemAtApple, self.saveUser) = (endpoints, apple, redeemAtApple, saveUser)
        (self.signInNatively, self.mail, self.metrics) = (signInNatively, mail, metrics)
    }

    package var routes: RouteCollection<WebContext> {
        let routes = RouteCollection(context: WebContext.self)
        let pages = routes.limited(.page, endpoints.limits)
        pages.on(.get, "t/{tenant}/oauth2/authorize", "authorize", use: authorize)
        pages.on(.post, "t/{tenant}/oauth2/authorize", "authorizeByPost", use: authorizeByPost)
        pages.on(.get, "auth/apple/authorize", "authorizeByClient", use: authorizeByClient)
        pages.on(.post, "t/{tenant}/oauth2/consent", "giveConsent", use: giveConsent)
        pages.on(.post, "t/{tenant}/oauth2/consent/refusal", "refuseConsent", use: refuseConsent)
        pages.on(.post, "t/{tenant}/oauth2/consent/sign-in", "signInForConsent", use: signInForConsent)
        pages.on(.post, "t/{tenant}/oauth2/link", "signInToLink", use: signInToLink)
        pages.on(.post, "t/{tenant}/oauth2/link/separate", "createSeparateUser", use: createSeparateUser)
        pages.on(.post, "t/{tenant}/oauth2/link/mail", "mailLinkProof", use: mailLinkProof)
        pages.on(.get, "t/{tenant}/oauth2/link/mail", "showLinkProof", use: showLinkProof)
        pages.on(.post, "t/{tenant}/oauth2/link/mail/confirmation", "redeemLinkProof", use: redeemLinkProof)
        pages.on(.get, "t/{tenant}/oauth2/identities", "signInForIdentity", use: signInForIdentity)
        pages.on(.post, "t/{tenant}/oauth2/identities", "confirmIdentity", use: confirmIdentity)
        pages.on(.post, "t/{tenant}/oauth2/identities/refusal", "refuseIdentity", use: refuseIdentity)
        pages.on(.post, "t/{tenant}/oauth2/name", "giveName", use: giveName)
        pages.on(.post, "t/{tenant}/oauth2/name/refusal", "refuseName", use: refuseName)
        pages.on(.post, "t/{tenant}/oauth2/name/sign-in", "signInForName", use: signInForName)
        routes.limited(.oauth, endpoints.limits).on(
            .post, "t/{tenant}/oauth2/par", "pushAuthorizationRequest", use: pushAuthorizationRequest)
        let callbacks = routes.limited(.callback, endpoints.limits)
        callbacks.on(.post, "t/{tenant}/auth/apple/callback", "appleCallback", use: appleCallback)
        callbacks.on(.post, "auth/apple/callback", "sharedAppleCallback", use: sharedAppleCallback)
        return routes
    }
}
