import CArgon2
import Crypto
import Foundation

/// 32 bytes from which all other keys of a keyring are derived. It is only in the settings.
package struct MasterKey: Sendable {
    let bytes: [UInt8]

    /// The reason why a master key is rejected. No case contains any part of the key.
    package enum Refusal: Error, Equatable, CustomStringConvertible {
        case notBase64
        case wrongLength(Int)
        case weak
        case shortPassphrase
        case shortSalt

        package var description: String {
            switch self {
            case .notBase64: "The master key is not base64. Make one with `espalier generate-master-key`."
            case .wrongLength(let count): "The master key has \(count) bytes instead of 32. Make one with `espalier generate-master-key`."
            case .weak: "The master key is not random. It repeats itself or is text. Make one with `espalier generate-master-key`."
            case .shortPassphrase: "The passphrase is shorter than \(MasterKey.shortestPassphrase) bytes."
            case .shortSalt: "The salt of a passphrase is shorter than \(MasterKey.shortestSalt) bytes."
            }
        }
    }

    static let byteCount = 32
    static let shortestPassphrase = 16
    static let shortestSalt = 16

    /// Accepts 32 random bytes in base64 (the standard alphabet, as in the output of `openssl rand -base64 32`).
    ///
    /// It rejects values that are clearly not random: one repeated byte, a repeated short pattern, a counting sequence,
    /// or text (an encoded passphrase or hexadecimal digits). Random bytes fail these tests less than once in 10¹³
    /// cases.
    package init(base64: String) throws(Refusal) {
        guard let data = Data(base64Encoded: base64.trimmingCharacters(in: .whitespacesAndNewlines)) else { throw .notBase64 }
        guard data.count == Self.byteCount else { throw .wrongLength(data.count) }
        let bytes = Array(data)
        guard !Self.looksWeak(bytes) else { throw .weak }
        self.bytes = bytes
    }

    /// Derives the key from a passphrase with Argon2id (RFC 9106, its second recommended choice: 64 MiB, 3 passes).
    ///
    /// It blocks for about 0.2 s, so call it at start-up and never in a request.
    /// - Parameter salt: At least 16 bytes that are unique to this installation and never change. They need not be
    ///   secret.
    package init(passphrase: Secret, salt: [UInt8]) throws(Refusal) {
        let passphrase = passphrase.revealBytes()
        guard passphrase.count >= Self.shortestPassphrase else { throw .shortPassphrase }
        guard salt.count >= Self.shortestSalt else { throw .shortSalt }
        var derived = [UInt8](repeating: 0, count: Self.byteCount)
        let result = argon2id_hash_raw(
            3, 64 * 1024, 1, passphrase, passphrase.count, salt, salt.count, &derived, derived.count)
        precondition(result == ARGON2_OK.rawValue, "Argon2id fails only for lack of memory")
        bytes = derived
    }

    private init(random bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// A new key from the system's random number generator.
    package static func generate() -> MasterKey {
        MasterKey(random: SymmetricKey(size: .bits256).withUnsafeBytes(Array.init))
    }

    /// The key in the format of `init(base64:)`.
    package var base64: Secret {
        Secret(Data(bytes).base64EncodedString())
    }

    private static func looksWeak(_ bytes: [UInt8]) -> Bool {
        let isText = bytes.allSatisfy { (0x20...0x7E).contains($0) || (0x09...0x0D).contains($0) }
        let hasFewValues = Set(bytes).count < 16
        let repeatsHalf = bytes.prefix(16).elementsEqual(bytes.suffix(16))
        let steps = Set(zip(bytes.dropFirst(), bytes).map { $0 &- $1 })
        return isText || hasFewValues || repeatsHalf || steps.count == 1
    }
}

extension MasterKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<secret>" }
    package var debugDescription: String { "<secret>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
