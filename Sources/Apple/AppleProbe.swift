package import Foundation

/// The response of Apple's token endpoint to a code that does not exist.
package struct AppleProbe: Sendable, Equatable {
    /// `invalidGrant` if Apple accepted the client and rejected only the code.
    package let refusal: OAuthErrorCode
    /// Apple's time of the response, in whole seconds; nil if the response has none.
    package let date: Date?

    package var isAccepted: Bool { refusal == .invalidGrant }

    /// It looks like an Apple code, but is not one.
    static let madeUpCode = "c00000000000000000000000000000000.0.espalier"

    /// The time of a `Date` header (RFC 9110, section 5.6.7: the one form that senders may still use).
    static func date(_ header: String?) -> Date? {
        let form = /[A-Z][a-z]{2}, (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d:\d\d:\d\d) GMT/
        // The ASCII check comes first, because a digit in a pattern matches digits of any script.
        guard let header, header.utf8.allSatisfy({ $0 < 0x80 }), let parts = header.wholeMatch(of: form)?.output,
            let month = months.firstIndex(of: parts.2)
        else { return nil }
        let number = month + 1
        return try? Date("\(parts.3)-\(number < 10 ? "0" : "")\(number)-\(parts.1)T\(parts.4)Z", strategy: .iso8601)
    }

    private static let months: [Substring] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}
