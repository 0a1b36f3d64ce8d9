import Encoding
import Foundation
import Sealing

/// A password as a person typed it, in Unicode's normalization form C (NIST SP 800-63B-4, section 3.1.1.2).
///
/// Two keyboards can write one letter in two ways, for example `é` as one code point or as `e` with an accent. Form C has one spelling. It
/// keeps letters apart that only look alike, so it makes no password weaker.
package struct Password: Sendable {
    /// In bytes of UTF-8, in form C. NIST demands room for 64 characters, which have at most 256 bytes.
    package static let mostBytes = 1024
    /// In bytes, as typed. It limits the work of an unauthenticated caller. Other spellings of a letter have at most 3 times the bytes
    /// of form C, as Hangul has.
    private static let mostTypedBytes = 3 * mostBytes

    private let normalized: Secret

    /// Reads the password of a sign-in. Nil if it is too long for any password. A shorter one than permitted is simply wrong.
    package init?(typed text: String) {
        guard text.utf8.count <= Self.mostTypedBytes else { return nil }
        let inFormC = text.inFormC
        guard inFormC.utf8.count <= Self.mostBytes else { return nil }
        normalized = Secret(inFormC)
    }

    /// The bytes to hash.
    var bytes: [UInt8] { normalized.revealBytes() }

    /// The text to check before it becomes a person's password.
    var text: String { normalized.reveal() }
}

extension String {
    /// The text in normalization form C. ASCII is always in it.
    var inFormC: String { isASCII ? self : precomposedStringWithCanonicalMapping }
}
