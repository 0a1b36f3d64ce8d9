package import Foundation

/// How Apple's token endpoint took a code that does not exist.
package struct AppleProbe: Sendable, Equatable {
    /// `invalidGrant` when the client was accepted, and only the code was not.
    package let refusal: OAuthErrorCode
    /// Apple's clock when it answered, in whole seconds; nil when the answer did not say.
    package let date: Date?

    package var isAccepted: Bool { refusal == .invalidGrant }

    /// Like one of Apple's, and none.
    static let madeUpCode = "c00000000000000000000000000000000.0.espalier"

    /// The time of a `Date` header (RFC 9110, section 5.6.7: the one form that may still be sent).
    static func date(_ header: String?) -> Date? {
        let form = /[A-Z][a-z]{2}, (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d:\d\d:\d\d) GMT/
        // To a pattern, a digit is one in any script.
        guard let header, header.utf8.allSatisfy({ $0 < 0x80 }), let parts = header.wholeMatch(of: form)?.output,
            let month = months.firstIndex(of: parts.2)
        else { return nil }
        let number = month + 1
        return try? Date("\(parts.3)-\(number < 10 ? "0" : "")\(number)-\(parts.1)T\(parts.4)Z", strategy: .iso8601)
    }

    private static let months: [Substring] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}
