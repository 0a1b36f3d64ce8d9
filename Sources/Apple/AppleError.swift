/// The reason for a failed call to Apple or a failed check of Apple's data.
///
/// No case contains any part of a token, a code or personal data.
package enum AppleError: Error, Equatable, CustomStringConvertible {
    /// Apple did not complete its response within the time limit.
    case timedOut
    /// No connection, or a connection that broke.
    case unreachable
    /// Apple's response is neither a success nor an OAuth error: 5xx, 429, a redirect.
    case unavailable(status: Int)
    /// Apple refused the request with an error of RFC 6749.
    case refused(OAuthErrorCode)
    /// Apple's response is invalid. The text names the invalid part.
    case nonsense(_ what: StaticString)
    /// The id_token is not trusted.
    case untrusted(IDTokenRefusal)
    /// The Apple key could not sign the client secret.
    case unsigned
    /// Apple was not called, because the calls of this tenant or connection occupied all of their places.
    case busy
    /// The calling task was cancelled.
    case cancelled

    package var description: String {
        switch self {
        case .timedOut: "Apple did not answer in time."
        case .unreachable: "Apple could not be reached."
        case .unavailable(let status): "Apple answered with status \(status)."
        case .refused(let code): "Apple refused the request with \(code). \(code.advice)"
        case .nonsense(let what): "Apple's response is invalid: \(what)."
        case .untrusted(let refusal): refusal.description
        case .unsigned: "The client secret could not be signed with the Apple key."
        case .busy: "Apple was not called, because too many calls for this connection are in progress."
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
