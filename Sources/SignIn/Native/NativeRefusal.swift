import Apple
import Postgres
import Sessions

/// The reason why a native sign-in got no tokens: the error for the application, and a short name for the log and the metrics.
struct NativeRefusal: Error {
    let code: OAuthError.Code
    let description: String
    let outcome: String
    /// Whether an operator should act. The cause is then Espalier or the tenant's settings, not the application or Apple.
    var isOurs = false

    static let unknownApplication = NativeRefusal(
        code: .invalidClient, description: "client_id must be an application of this tenant.", outcome: "unknown_application")
    static let clientMissing = NativeRefusal(
        code: .invalidRequest, description: "client_id is missing. It is required at this address.",
        outcome: "client_missing")
    static let notNative = NativeRefusal(
        code: .unauthorizedClient, description: "Only an application of kind native may present an Apple id_token.",
        outcome: "not_native")
    static let noBundleID = NativeRefusal(
        code: .unauthorizedClient,
        description: "No bundle ID is registered at both the application and the tenant's Apple connection.", outcome: "no_bundle_id")
    static let noApplication = NativeRefusal(
        code: .unauthorizedClient, description: "No native application of this tenant has the bundle ID of the id_token.",
        outcome: "no_application")
    static let severalApplications = NativeRefusal(
        code: .invalidRequest, description: "Several applications have the bundle ID of the id_token. Send client_id.",
        outcome: "several_applications")
    static let needsConsent = NativeRefusal(
        code: .unauthorizedClient,
        description: """
            The application belongs to a third party, and the user has not allowed it for these scopes and APIs. Sign the user in at the \
            authorization endpoint once, where a page asks.
            """,
        outcome: "consent_required")
    static let noConnection = NativeRefusal(
        code: .temporarilyUnavailable, description: "Sign in with Apple is not set up for this tenant yet.", outcome: "no_connection")
    static let budgetUsedUp = NativeRefusal(
        code: .temporarilyUnavailable,
        description: "The tenant's hard budget for this month is used up. Users who are signed in stay signed in.",
        outcome: "budget_used_up")
    static let nonceMissing = NativeRefusal(
        code: .invalidRequest, description: "nonce is missing. The id_token has one. Send the nonce that the application generated.",
        outcome: "nonce_not_presented")
    static let stale = NativeRefusal(
        code: .invalidGrant, description: "The id_token was issued more than ten minutes ago. Have the user sign in again.",
        outcome: "stale")
    static let used = NativeRefusal(
        code: .invalidGrant, description: "The id_token or its nonce was used before. Each sign-in needs new ones.", outcome: "used")
    static let tooManyCodes = NativeRefusal(
        code: .invalidGrant, description: "Too many codes were presented with this id_token. Have the user sign in again.",
        outcome: "too_many_codes")
    static let otherUsersCode = NativeRefusal(
        code: .invalidGrant, description: "The code and the id_token belong to different users.", outcome: "other_users_code")

    static func untrustedAnswer(_ rule: IDTokenRefusal) -> NativeRefusal {
        NativeRefusal(
            code: .temporarilyUnavailable, description: "Apple's identity token for the code is invalid.",
            outcome: "apple_id_token_\(rule.rawValue)")
    }
}

extension NativeRefusal {
    /// The refusal for a thrown error, or nil if the error is not a refusal.
    init?(_ error: any Error) {
        switch error {
        case let refusal as NativeRefusal: self = refusal
        case let error as AppleError: self.init(error)
        case let error as OAuthError: self.init(code: error.code, description: error.description, outcome: error.code.rawValue)
        case let error as DatabaseError where error.constraint == "single_use_pkey": self = .used
        // Here it can only be the consent that ended.
        case let refusal as CallbackRefusal:
            self.init(code: .invalidGrant, description: refusal.description, outcome: refusal.outcome)
        default: return nil
        }
    }

    private init(_ error: AppleError) {
        switch error {
        case .untrusted(let rule):
            self.init(code: .invalidGrant, description: rule.description, outcome: "id_token_\(rule.rawValue)")
        // A code that was used or has expired. A user who has revoked consent can cause either one.
        case .refused(.invalidGrant), .refused(.invalidRequest):
            self.init(
                code: .invalidGrant, description: "Apple does not accept the code. Have the user sign in again.", outcome: "apple_refused")
        case .timedOut, .unreachable, .unavailable, .nonsense, .cancelled:
            self.init(
                code: .temporarilyUnavailable, description: "Apple did not respond. Try again in a moment.", outcome: "apple_unavailable")
        case .busy:
            self.init(
                code: .temporarilyUnavailable, description: "Too many sign-ins wait for Apple. Try again in a few seconds.",
                outcome: "apple_busy", isOurs: true)
        case .refused, .unsigned:
            self.init(
                code: .temporarilyUnavailable,
                description: "Apple does not accept this tenant's Apple settings, or not for this bundle ID.",
                outcome: "apple_invalid_client", isOurs: true)
        }
    }
}
