import Encoding
package import Foundation
package import Sealing

/// A code that replaces the second factor once, for a person who has lost it: 12 `Consonants`. There are 20^12 codes (51 bits).
package struct RecoveryCode: Sendable {
    /// The number of codes in a set.
    package static let count = 10

    private static let length = 12
    private static let groupLength = 4
    private static let purpose = "recovery_code"

    private let letters: [UInt8]

    /// A new set of different codes, which replaces all earlier codes of the person. Show it once.
    package static func makeSet() -> [RecoveryCode] {
        var random = SystemRandomness()
        return makeSet(using: &random)
    }

    static func makeSet(using random: inout some RandomNumberGenerator) -> [RecoveryCode] {
        var codes: [RecoveryCode] = []
        while codes.count < count {
            let code = RecoveryCode(letters: Consonants.random(length, using: &random))
            if !codes.contains(where: { constantTimeEqual($0.letters, code.letters) }) { codes.append(code) }
        }
        return codes
    }

    private init(letters: [UInt8]) {
        self.letters = letters
    }

    /// Reads typed text. Case, spaces and hyphens do not count. Nil if any other character is in it, or if the length is wrong.
    package init?(_ typed: String) {
        guard let letters = Consonants.read(typed, count: Self.length) else { return nil }
        self.letters = letters
    }

    /// The code as a page shows it: three groups of 4 letters.
    package var text: Secret {
        let groups = stride(from: 0, to: Self.length, by: Self.groupLength).map { letters[$0..<($0 + Self.groupLength)] }
        return Secret(bytes: Array(groups.joined(separator: [UInt8(ascii: "-")])))
    }
}

// MARK: The stored form

extension RecoveryCode {
    /// The stored form (32 bytes). A reader of the database cannot try all codes, because the digest needs a key that is not in it. It
    /// contains the person, so a digest that was copied to another person's row matches no code there.
    /// - Parameter person: The person's ID.
    package func digest(for person: UUID, with keyring: Keyring) -> [UInt8] {
        keyring.digest(message(for: person), purpose: Self.purpose)
    }

    /// The position of the code among a person's stored codes, or nil. Delete the stored code in the transaction of the sign-in, and
    /// refuse the sign-in if it is no longer there. Then two sign-ins at the same time cannot use one code.
    ///
    /// It compares with each stored code in constant time, under all digest keys.
    package func position(in stored: [[UInt8]], for person: UUID, with keyring: Keyring) -> Int? {
        let candidates = keyring.digests(message(for: person), purpose: Self.purpose)
        var found: Int?
        for (position, digest) in stored.enumerated() {
            for candidate in candidates where constantTimeEqual(candidate, digest) { found = position }
        }
        return found
    }

    private func message(for person: UUID) -> [UInt8] {
        // Both parts have a fixed length.
        withUnsafeBytes(of: person.uuid, Array.init) + letters
    }
}

extension RecoveryCode: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<secret>" }
    package var debugDescription: String { "<secret>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
