/// Why a call to Apple, or the check of what came from there, did not succeed. No case carries anything of a token,
/// a code or a person.
package enum AppleError: Error, Equatable, CustomStringConvertible {
    /// Apple did not finish its answer within the time limit.
    case timedOut
    /// No connection, or one that broke off.
    case unreachable
    /// Apple answered, but neither with success nor with a refusal of its protocol: 500s, 429, redirects.
    case unavailable(status: Int)
    /// Apple refused, with an error of RFC 6749.
    case refused(OAuthErrorCode)
    /// Apple's answer makes no sense; says which part of it.
    case nonsense(_ what: StaticString)
    /// The id_token is not to be trusted.
    case untrusted(IDTokenRefusal)
    /// The client secret could not be signed with the key at hand.
    case unsigned
    /// Apple was not asked: the calls of this tenant or connection had all the places that they may have.
    case busy
    /// The task that asked was cancelled.
    case cancelled

    package var description: String {
        switch self {
        case .timedOut: "Apple did not answer in time."
        case .unreachable: "Apple could not be reached."
        case .unavailable(let status): "Apple answered with status \(status)."
        case .refused(let code): "Apple refused with \(code). \(code.advice)"
        case .nonsense(let what): "Apple's answer is not understood: \(what)."
        case .untrusted(let refusal): refusal.description
        case .unsigned: "The client secret could not be signed with the Apple key."
        case .busy: "Apple was not asked, because too many calls for this connection are in progress."
        case .cancelled: "The call to Apple was cancelled."
        }
    }

    package static func == (left: AppleError, right: AppleError) -> Bool {
        switch (left, right) {
        case (.timedOut, .timedOut), (.unreachable, .unreachable), (.unsigned, .unsigned), (.busy, .busy),
            (.cancelled, .cancelled):
            true
        case (.unavailable(let one), .unavailable(let other)): one == other
        case (.refused(let one), .refused(let other)): one == other
        case (.nonsense(let one), .nonsense(let other)): one.description == other.description
        case (.untrusted(let one), .untrusted(let other)): one == other
        default: false
        }
    }
}
