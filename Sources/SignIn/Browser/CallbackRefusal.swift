import Apple
import Postgres
import Sessions

/// Why a callback did not end in a code: what the application is told, and the short name that the log
/// and the metrics get.
struct CallbackRefusal: Error {
    let code: RedirectedError.Code
    let description: String
    let outcome: String
    /// Whether an operator should look: our fault or the tenant's settings, not the user's or Apple's.
    var isOurs = false

    static let cancelled = CallbackRefusal(code: .accessDenied, description: "The user cancelled the sign-in.", outcome: "cancelled")
    static let refusedByApple = CallbackRefusal(
        code: .serverError, description: "Apple's answer held neither a code nor a cancellation.", outcome: "no_code")
    static let codeTooLong = CallbackRefusal(
        code: .serverError, description: "Apple's answer has a code of more than \(NativeSignIn.longestCode) bytes. Start again.",
        outcome: "code_too_long")
    static let idTokenMissing = CallbackRefusal(
        code: .serverError, description: "Apple's answer has no identity token. Start again.", outcome: "id_token_missing")
    static let tooManyTries = CallbackRefusal(
        code: .serverError, description: "Too many answers were posted for this sign-in. Start again.", outcome: "too_many_tries")
    static let otherUsersCode = CallbackRefusal(
        code: .serverError, description: "Apple's code belongs to another user than its identity token. Start again.",
        outcome: "other_users_code")
    static let connectionChanged = CallbackRefusal(
        code: .temporarilyUnavailable, description: "The tenant's Apple settings changed meanwhile; start again.",
        outcome: "connection_changed")
    static let authenticatedTooLongAgo = CallbackRefusal(
        code: .loginRequired, description: "Apple authenticated the user longer ago than max_age allows.", outcome: "max_age")
    static let consentEnded = CallbackRefusal(
        code: .accessDenied, description: "The user has ended the consent at Apple in the meantime.", outcome: "consent_ended")
}

extension CallbackRefusal {
    /// The refusal of the id_token in the posted form. Apple was not asked.
    static func untrustedForm(_ rule: IDTokenRefusal) -> CallbackRefusal {
        CallbackRefusal(
            code: .serverError, description: "The identity token in Apple's answer is not acceptable. Start again.",
            outcome: "form_id_token_\(rule.rawValue)")
    }

    init(_ error: any Error) {
        switch error {
        case let refusal as CallbackRefusal:
            self = refusal
        case let error as AppleError:
            self.init(error)
        case let error as DatabaseError:
            self.init(
                code: error.isOutage ? .temporarilyUnavailable : .serverError,
                description: "The sign-in could not be completed; try again.", outcome: "database", isOurs: true)
        default:
            self.init(code: .serverError, description: "The sign-in could not be completed.", outcome: "unexpected", isOurs: true)
        }
    }

    private init(_ error: AppleError) {
        switch error {
        case .timedOut, .unreachable, .unavailable:
            self.init(
                code: .temporarilyUnavailable, description: "Apple did not answer; try again in a moment.", outcome: "apple_unavailable")
        case .refused(.invalidClient):
            self.init(
                code: .serverError, description: "Apple does not accept this tenant's Apple settings.", outcome: "apple_invalid_client",
                isOurs: true)
        case .untrusted(let refusal):
            self.init(
                code: .serverError, description: "Apple's identity token was not acceptable.", outcome: "id_token_\(refusal.rawValue)")
        case .unsigned:
            self.init(
                code: .serverError, description: "This tenant's Apple key cannot be used.", outcome: "apple_key_unusable", isOurs: true)
        case .refused:
            self.init(code: .serverError, description: "Apple refused the sign-in; start again.", outcome: "apple_refused")
        case .busy:
            self.init(
                code: .temporarilyUnavailable, description: "Too many sign-ins wait for Apple. Try again in a few seconds.",
                outcome: "apple_busy", isOurs: true)
        case .cancelled:
            self.init(code: .temporarilyUnavailable, description: "The sign-in was interrupted; try again.", outcome: "cancelled_here")
        case .nonsense:
            self.init(code: .serverError, description: "Apple's answer could not be understood.", outcome: "apple_nonsense")
        }
    }
}
