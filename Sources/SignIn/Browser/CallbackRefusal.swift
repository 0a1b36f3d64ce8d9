import Apple
import Postgres
import Sessions

/// The reason why a callback ended without a code: the error for the application, and a short name for the log and the metrics.
struct CallbackRefusal: Error {
    let code: RedirectedError.Code
    let description: String
    let outcome: String
    /// Whether an operator should act. The cause is then Espalier or the tenant's settings, not the user or Apple.
    var isOurs = false
    /// The reason on the page for a new sign-in. Nil if a new one would end in the same way, or needs another request.
    var cause: RetryPage.Cause?

    static let cancelled = CallbackRefusal(
        code: .accessDenied, description: "The user cancelled the sign-in.", outcome: "cancelled",
        cause: .canceled)
    static let refusedByApple = CallbackRefusal(
        code: .serverError, description: "Apple's response has neither a code nor a cancellation. Start again.", outcome: "no_code",
        cause: .unusableResponse)
    static let codeTooLong = CallbackRefusal(
        code: .serverError, description: "Apple's response has a code of more than \(NativeSignIn.longestCode) bytes. Start again.",
        outcome: "code_too_long", cause: .unusableResponse)
    static let idTokenMissing = CallbackRefusal(
        code: .serverError, description: "Apple's response has no identity token. Start again.", outcome: "id_token_missing",
        cause: .unusableResponse)
    static let tooManyTries = CallbackRefusal(
        code: .serverError, description: "Too many responses were posted for this sign-in. Start again.", outcome: "too_many_tries")
    static let otherUsersCode = CallbackRefusal(
        code: .serverError, description: "Apple's code and identity token belong to different users. Start again.",
        outcome: "other_users_code", cause: .unusableResponse)
    static let connectionChanged = CallbackRefusal(
        code: .temporarilyUnavailable, description: "The tenant's Apple settings changed during the sign-in. Start again.",
        outcome: "connection_changed")
    static let authenticatedTooLongAgo = CallbackRefusal(
        code: .loginRequired, description: "Apple authenticated the user longer ago than max_age allows.", outcome: "max_age")
    static let tokensNotAllowed = CallbackRefusal(
        code: .unauthorizedClient, description: AuthorizationRequest.withoutConsent, outcome: "tokens_not_allowed")
    static let tokensOfThirdParty = CallbackRefusal(
        code: .unauthorizedClient, description: AuthorizationRequest.tokensOfThirdParty, outcome: "tokens_of_third_party")
    static let completedBefore = CallbackRefusal(
        code: .serverError, description: "This sign-in has received its tokens before. Start again.", outcome: "completed_before")
    static let userEnded = CallbackRefusal(
        code: .accessDenied, description: "The user no longer exists, or was signed out everywhere during the sign-in.",
        outcome: "user_ended")
    static let identityExpired = CallbackRefusal(
        code: .accessDenied, description: "The address for the browser has expired. Request another one.", outcome: "identity_expired")
    static let tooLongForPage = CallbackRefusal(
        code: .serverError, description: "Apple's response is too long to be confirmed on a page.", outcome: "too_long_for_page")
    static let thirdParty = CallbackRefusal(
        code: .accessDenied, description: "Applications of third parties cannot manage users.", outcome: "third_party")
    static let consentEnded = CallbackRefusal(
        code: .accessDenied, description: "The user revoked consent at Apple during the sign-in.", outcome: "consent_ended")
}

extension CallbackRefusal {
    /// The refusal of the id_token in the posted form. Espalier did not call Apple.
    static func untrustedForm(_ rule: IDTokenRefusal) -> CallbackRefusal {
        CallbackRefusal(
            code: .serverError, description: "The identity token in Apple's response is invalid. Start again.",
            outcome: "form_id_token_\(rule.rawValue)", cause: .unusableResponse)
    }

    init(_ error: any Error) {
        switch error {
        case let refusal as CallbackRefusal:
            self = refusal
        case let error as AppleError:
            self.init(error)
        case let error as DatabaseError where error.constraint == "session_pkey": self = .completedBefore
        case is OAuthError: self = .userEnded
        case let error as RedirectedError:
            self.init(code: error.code, description: error.description, outcome: error.code.rawValue)
        case let error as DatabaseError:
            self.init(
                code: error.isOutage ? .temporarilyUnavailable : .serverError,
                description: "The sign-in could not be completed. Try again.", outcome: "database", isOurs: true)
        default:
            self.init(code: .serverError, description: "The sign-in could not be completed.", outcome: "unexpected", isOurs: true)
        }
    }

    private init(_ error: AppleError) {
        switch error {
        case .timedOut, .unreachable, .unavailable:
            self.init(
                code: .temporarilyUnavailable, description: "Apple did not respond. Try again in a moment.", outcome: "apple_unavailable",
                cause: .noResponse)
        case .refused(.invalidClient):
            self.init(
                code: .serverError, description: "Apple does not accept this tenant's Apple settings.", outcome: "apple_invalid_client",
                isOurs: true, cause: .settings)
        case .untrusted(let refusal):
            self.init(
                code: .serverError, description: "Apple's identity token is invalid. Start again.", outcome: "id_token_\(refusal.rawValue)",
                cause: .unusableResponse)
        case .unsigned:
            self.init(
                code: .serverError, description: "This tenant's Apple key cannot be used.", outcome: "apple_key_unusable", isOurs: true,
                cause: .settings)
        case .refused:
            self.init(
                code: .serverError, description: "Apple refused the sign-in. Start again.", outcome: "apple_refused",
                cause: .unusableResponse)
        case .busy:
            self.init(
                code: .temporarilyUnavailable, description: "Too many sign-ins wait for Apple. Try again in a few seconds.",
                outcome: "apple_busy", isOurs: true, cause: .noResponse)
        case .cancelled:
            self.init(
                code: .temporarilyUnavailable, description: "The sign-in was interrupted. Try again.", outcome: "cancelled_here",
                cause: .noResponse)
        case .nonsense:
            self.init(
                code: .serverError, description: "Apple's response is invalid. Start again.", outcome: "apple_nonsense",
                cause: .unusableResponse)
        }
    }
}
