import Encoding
package import Sealing

/// The code that a person types: 8 `Consonants` (RFC 8628, section 6.1).
///
/// There are 20^8 codes (34 bits). The limit of wrong codes makes it unlikely that a guess finds one of the open ones.
package struct UserCode: Sendable, Equatable {
    private static let length = 8
    private static let purpose = "user_code"

    private let letters: [UInt8]

    package static func random() -> UserCode {
        var random = SystemRandomness()
        return UserCode(letters: Consonants.random(length, using: &random))
    }

    private init(letters: [UInt8]) {
        self.letters = letters
    }

    /// Reads typed text. Case, spaces and hyphens do not count. Nil if any other character is in it, or if the length is wrong.
    package init?(_ typed: String) {
        guard let letters = Consonants.read(typed, count: Self.length) else { return nil }
        self.letters = letters
    }

    /// The code as a device shows it: two groups of 4 letters.
    package var text: String {
        String(decoding: letters.prefix(4), as: UTF8.self) + "-" + String(decoding: letters.dropFirst(4), as: UTF8.self)
    }

    /// The stored form. A reader of the database cannot try all codes, because the digest needs a key that is not in it.
    package func digest(with keyring: Keyring) -> [UInt8] { keyring.digest(letters, purpose: Self.purpose) }

    /// The stored forms under all digest keys.
    package func digests(with keyring: Keyring) -> [[UInt8]] { keyring.digests(letters, purpose: Self.purpose) }
}
