import Apple
import Postgres
import Sessions

/// Why a native sign-in got no tokens: what the application is told, and the short name that the log and the metrics get.
struct NativeRefusal: Error {
    let code: OAuthError.Code
    let description: String
    let outcome: String
    /// Whether an operator should look: our fault or the tenant's settings, not the application's or Apple's.
    var isOurs = false

    static let unknownApplication = NativeRefusal(
        code: .invalidClient, description: "client_id names no application of this tenant.", outcome: "unknown_application")
    static let clientMissing = NativeRefusal(
        code: .invalidRequest, description: "client_id is missing: at this address it says whose sign-in this is.",
        outcome: "client_missing")
    static let notNative = NativeRefusal(
        code: .unauthorizedClient, description: "Only an application of kind native may present an id_token of Apple's.",
        outcome: "not_native")
    static let noBundleID = NativeRefusal(
        code: .unauthorizedClient,
        description: "No bundle id is registered both at the application and at the tenant's Apple connection.", outcome: "no_bundle_id")
    static let noApplication = NativeRefusal(
        code: .unauthorizedClient, description: "No native application of this tenant has the bundle id that the id_token is for.",
        outcome: "no_application")
    static let severalApplications = NativeRefusal(
        code: .invalidRequest, description: "Several applications have the bundle id that the id_token is for: send client_id.",
        outcome: "several_applications")
    static let noConnection = NativeRefusal(
        code: .temporarilyUnavailable, description: "Sign in with Apple is not set up for this tenant yet.", outcome: "no_connection")
    static let budgetUsedUp = NativeRefusal(
        code: .temporarilyUnavailable,
        description: "The tenant has set a hard budget, and the month's logins are used up. Who is signed in stays so.",
        outcome: "budget_used_up")
    static let nonceMissing = NativeRefusal(
        code: .invalidRequest, description: "nonce is missing: the id_token has one, so present what it was made from.",
        outcome: "nonce_not_presented")
    static let stale = NativeRefusal(
        code: .invalidGrant, description: "The id_token was issued more than ten minutes ago; have the user sign in again.",
        outcome: "stale")
    static let used = NativeRefusal(
        code: .invalidGrant, description: "The id_token or its nonce was used before: each sign-in needs its own.", outcome: "used")
    static let tooManyCodes = NativeRefusal(
        code: .invalidGrant, description: "Too many codes were presented with this id_token; have the user sign in again.",
        outcome: "too_many_codes")
    static let otherUsersCode = NativeRefusal(
        code: .invalidGrant, description: "The code belongs to another user than the id_token.", outcome: "other_users_code")

    static func untrustedAnswer(_ rule: IDTokenRefusal) -> NativeRefusal {
        NativeRefusal(
            code: .temporarilyUnavailable, description: "Apple's identity token for the code was not acceptable.",
            outcome: "apple_id_token_\(rule.rawValue)")
    }
}

extension NativeRefusal {
    /// What was thrown, as a refusal; nil for what is none.
    init?(_ error: any Error) {
        switch error {
        case let refusal as NativeRefusal: self = refusal
        case let error as AppleError: self.init(error)
        case let error as OAuthError: self.init(code: error.code, description: error.description, outcome: error.code.rawValue)
        case let error as DatabaseError where error.constraint == "single_use_pkey": self = .used
        // The consent that ended is all that can be in it here.
        case let refusal as CallbackRefusal:
            self.init(code: .invalidGrant, description: refusal.description, outcome: refusal.outcome)
        default: return nil
        }
    }

    private init(_ error: AppleError) {
        switch error {
        case .untrusted(let rule):
            self.init(code: .invalidGrant, description: rule.description, outcome: "id_token_\(rule.rawValue)")
        // A code used or expired; a user who has revoked consent can come as either.
        case .refused(.invalidGrant), .refused(.invalidRequest):
            self.init(
                code: .invalidGrant, description: "Apple does not accept the code; have the user sign in again.", outcome: "apple_refused")
        case .timedOut, .unreachable, .unavailable, .nonsense, .cancelled:
            self.init(
                code: .temporarilyUnavailable, description: "Apple did not answer; try again in a moment.", outcome: "apple_unavailable")
        case .busy:
            self.init(
                code: .temporarilyUnavailable, description: "Too many sign-ins wait for Apple. Try again in a few seconds.",
                outcome: "apple_busy", isOurs: true)
        case .refused, .unsigned:
            self.init(
                code: .temporarilyUnavailable,
                description: "Apple does not accept this tenant's Apple settings, or not for this bundle id.",
                outcome: "apple_invalid_client", isOurs: true)
        }
    }
}
