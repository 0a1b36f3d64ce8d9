import Encoding
package import Foundation

/// The random bytes that one registration or assertion must contain (Level 3, section 13.4.3).
///
/// A challenge proves that a response is new only if each one is accepted once, and only from the browser that received it. The caller
/// ensures both: it saves the challenge for this browser, and removes it when a response arrives, even if the response is refused.
package struct PasskeyChallenge: Equatable, Sendable {
    /// In seconds. It begins with the page. So it is longer than the timeout, which begins when the person presses the button. Otherwise the
    /// authenticator of a slow person would keep a passkey that the server refuses.
    package static let lifetime: TimeInterval = 900
    /// The timeout of the browser in seconds, as recommended (section 15.1).
    static let timeout = 300
    /// In bytes. The specification requires at least 16.
    private static let length = 32

    package let bytes: [UInt8]
    package let createdAt: Date

    /// Creates a challenge.
    package init(at now: Date, using generator: inout some RandomNumberGenerator) {
        var bytes: [UInt8] = []
        while bytes.count < Self.length {
            let word: UInt64 = generator.next()
            bytes += withUnsafeBytes(of: word) { Array($0) }
        }
        (self.bytes, createdAt) = (bytes, now)
    }

    /// A challenge that was saved. Nil if it does not have the length of a challenge.
    package init?(saved bytes: [UInt8], createdAt: Date) {
        guard bytes.count == Self.length else { return nil }
        (self.bytes, self.createdAt) = (bytes, createdAt)
    }

    /// The text in options and in client data.
    package var text: String { bytes.base64URL }

    func isExpired(at now: Date) -> Bool { now >= createdAt.addingTimeInterval(Self.lifetime) }
}
