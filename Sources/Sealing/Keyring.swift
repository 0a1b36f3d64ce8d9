import Crypto
import Foundation

/// The platform's master keys, newest first: the newest seals, all open.
///
/// A master key is replaced by putting a new one in front and keeping the old ones until nothing needs them
/// (`needsResealing`). All derivation happens in the initialiser; a call costs a few microseconds.
package struct Keyring: Sendable {
    private let keys: [DerivedKeys]

    /// Why a list of master keys makes no keyring.
    package enum Refusal: Error, Equatable, CustomStringConvertible {
        case empty
        case duplicate

        package var description: String {
            switch self {
            case .empty: "At least one master key is required. Make one with `openssl rand -base64 32`."
            case .duplicate: "A master key is listed twice."
            }
        }
    }

    /// - Parameter keys: Newest first.
    package init(_ keys: [MasterKey]) throws(Refusal) {
        guard !keys.isEmpty else { throw .empty }
        self.keys = keys.map(DerivedKeys.init)
        guard Set(self.keys.map(\.id)).count == keys.count else { throw .duplicate }
    }

    private var newest: DerivedKeys { keys[0] }

    private func key(_ id: KeyID) -> DerivedKeys? {
        keys.first { $0.id == id }
    }
}

// MARK: Stored values

extension Keyring {
    /// Encrypts a value under the newest key so that it opens for this context alone (AES-256-GCM).
    package func seal(_ plaintext: [UInt8], in context: SealingContext) -> Sealed {
        Self.encrypt(plaintext, under: newest.rows, of: newest.id, for: context.encoded)
    }

    /// Decrypts a stored value.
    ///
    /// - Throws: `malformed`, `unknownKey`, or `forged` if it was changed or belongs to another context.
    package func open(_ sealed: Sealed, in context: SealingContext) throws(SealingError) -> [UInt8] {
        try decrypt(sealed, with: \.rows, for: context.encoded)
    }

    /// True of a value sealed under an older key than the newest; also of one that no key of this ring opens.
    package func needsResealing(_ sealed: Sealed) -> Bool {
        sealed.keyID != newest.id
    }
}

// MARK: Tokens

extension Keyring {
    /// The longest token that is opened, in characters. It bounds the work a stranger can cause with one.
    package static let longestToken = 4096

    /// Seals bytes into a URL-safe token: a login attempt, an authorization code.
    ///
    /// - Parameters:
    ///   - plaintext: At most 3,000 bytes. More makes a token over `longestToken`, which will not be opened again.
    ///   - purpose: What the token is for. It opens for no other purpose.
    package func sealToken(_ plaintext: [UInt8], purpose: String) -> String {
        Self.encrypt(plaintext, under: newest.tokens, of: newest.id, for: Array(purpose.utf8)).bytes.base64URL
    }

    /// Opens a token that anyone may have made up.
    ///
    /// - Throws: `tooLong` before any work, `malformed`, `unknownKey`, or `forged`, also for a token of another purpose.
    package func openToken(_ token: String, purpose: String) throws(SealingError) -> [UInt8] {
        guard token.utf8.count <= Self.longestToken else { throw .tooLong }
        guard let bytes = [UInt8](base64URL: token) else { throw .malformed }
        return try decrypt(Sealed(bytes: bytes), with: \.tokens, for: Array(purpose.utf8))
    }
}

// MARK: Keyed hashes

extension Keyring {
    /// The newest key's hash of a high-entropy secret (HMAC-SHA256, 32 bytes), to be stored in its place.
    ///
    /// Not for passwords: whoever has the master key could try them by the million. See `PasswordHash`.
    package func digest(_ secret: [UInt8], purpose: String) -> [UInt8] {
        Self.authenticate(secret, purpose: purpose, under: newest.digests)
    }

    /// The hash under every key, newest first: a secret stored before the master key changed is found with `= ANY`.
    package func digests(_ secret: [UInt8], purpose: String) -> [[UInt8]] {
        keys.map { Self.authenticate(secret, purpose: purpose, under: $0.digests) }
    }

    /// The key that `mac` should be asked to use for something new.
    package var newestKeyID: KeyID { newest.id }

    /// Whether what this key has sealed can be opened.
    package func knows(_ id: KeyID) -> Bool {
        mac([], purpose: "", keyID: id) != nil
    }

    /// The MAC of a message (HMAC-SHA256, 32 bytes), for tokens that are recomputed rather than stored.
    ///
    /// - Returns: Nil when that master key is no longer in the keyring.
    package func mac(_ message: [UInt8], purpose: String, keyID: KeyID) -> [UInt8]? {
        key(keyID).map { Self.authenticate(message, purpose: purpose, under: $0.macs) }
    }
}

// MARK: The primitives

extension Keyring {
    private static func authenticate(_ message: [UInt8], purpose: String, under key: SymmetricKey) -> [UInt8] {
        // The purpose goes in front behind its length, so that no purpose and message can pass for another pair.
        var input: [UInt8] = []
        input.reserveCapacity(4 + purpose.utf8.count + message.count)
        input.append(lengthPrefixed: purpose.utf8)
        input.append(contentsOf: message)
        return Array(HMAC<SHA256>.authenticationCode(for: input, using: key))
    }

    private static func encrypt(_ plaintext: [UInt8], under key: SymmetricKey, of id: KeyID, for context: [UInt8]) -> Sealed {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Sealed.overhead + plaintext.count)
        bytes.append(Sealed.version)
        bytes.append(contentsOf: id.bytes)
        var random = SystemRandomNumberGenerator()
        for _ in 0..<(Sealed.saltByteCount + Sealed.nonceByteCount) / 8 {
            withUnsafeBytes(of: random.next() as UInt64) { bytes.append(contentsOf: $0) }
        }
        do {
            let box = try AES.GCM.seal(
                plaintext, using: messageKey(of: bytes, under: key),
                nonce: AES.GCM.Nonce(data: bytes[Sealed.nonceStart..<Sealed.ciphertextStart]), authenticating: context)
            bytes.append(contentsOf: box.ciphertext)
            bytes.append(contentsOf: box.tag)
        } catch {
            preconditionFailure("AES-GCM refuses only keys and nonces of a wrong size, and these are right: \(error)")
        }
        return Sealed(bytes: bytes)
    }

    private func decrypt(
        _ sealed: Sealed, with use: (DerivedKeys) -> SymmetricKey, for context: [UInt8]
    ) throws(SealingError) -> [UInt8] {
        guard let id = sealed.keyID else { throw .malformed }
        guard let key = key(id) else { throw .unknownKey }
        let bytes = sealed.bytes
        do {
            let box = try AES.GCM.SealedBox(combined: bytes[Sealed.nonceStart...])
            return Array(try AES.GCM.open(box, using: Self.messageKey(of: bytes, under: use(key)), authenticating: context))
        } catch {
            // Of a box of sufficient length, only the tag's check can fail.
            throw .forged
        }
    }

    /// The key of one sealed value, derived from the first half of its nonce.
    private static func messageKey(of sealed: [UInt8], under key: SymmetricKey) -> SymmetricKey {
        SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: sealed[Sealed.saltStart..<Sealed.nonceStart], using: key))
    }
}
