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

        package var description: String {
            switch self {
            case .notBase64: "The master key is not base64. Make one with `espalier generate-master-key`."
            case .wrongLength(let count): "The master key has \(count) bytes instead of 32. Make one with `espalier generate-master-key`."
            case .weak: "The master key is not random. It repeats itself or is text. Make one with `espalier generate-master-key`."
            }
        }
    }

    static let byteCount = 32

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
