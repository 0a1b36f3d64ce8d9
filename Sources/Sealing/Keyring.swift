import Crypto
import Encoding
package import Foundation

/// The platform's master keys, newest first, and its digest keys.
///
/// The newest master key seals. Every master key opens. `espalier master-keys reseal` seals stored values again under the newest
/// master key. Then you can remove an old one (docs/master-keys.md).
///
/// Digests and MACs do not depend on a master key. They are calculated under digest keys, which are random and stored sealed.
/// So API keys, client secrets and refresh tokens stay valid when a master key is removed.
///
/// All derivation happens in the initializer. A call costs a few microseconds.
package struct Keyring: Sendable {
    private let keys: [DerivedKeys]
    /// The current one first. Empty until `with` adds the database's digest keys.
    private var digestKeys: [DigestKey] = []

    /// The reason why a list of keys is not a valid keyring.
    package enum Refusal: Error, Equatable, CustomStringConvertible {
        case empty
        case duplicate
        case noDigestKey

        package var description: String {
            switch self {
            case .empty: "At least one master key is required. Make one with `espalier generate-master-key`."
            case .duplicate: "A master key is listed twice. Remove the second one."
            case .noDigestKey: "The database has no random digest key. Restore the rows of the table digest_key from a backup."
            }
        }
    }

    /// A keyring that seals and opens. Digests and MACs also need `with`.
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

    /// The IDs of the master keys, newest first.
    package var masterKeyIDs: [KeyID] { keys.map(\.id) }
}

// MARK: Stored values

extension Keyring {
    /// Encrypts a value under the newest key so that it opens for this context alone (AES-256-GCM).
    package func seal(_ plaintext: [UInt8], in context: SealingContext) -> Sealed {
        Self.encrypt(plaintext, under: newest.rows, of: newest.id, for: context.encoded)
    }

    /// Decrypts a stored value.
    ///
    /// - Throws: `malformed`, `unknownKey`, or `forged` for a value that was changed or belongs to another context.
    package func open(_ sealed: Sealed, in context: SealingContext) throws(SealingError) -> [UInt8] {
        try decrypt(sealed, with: \.rows, for: context.encoded)
    }

    /// Returns the same value under the newest key, or nil if it is already sealed under the newest key.
    ///
    /// - Throws: The errors of `open`.
    package func resealed(_ sealed: Sealed, in context: SealingContext) throws(SealingError) -> Sealed? {
        guard sealed.keyID != newest.id else { return nil }
        return seal(try open(sealed, in: context), in: context)
    }
}

// MARK: Tokens

extension Keyring {
    /// The longest token that is opened, in characters. It limits the work that an unauthenticated caller can cause.
    package static let longestToken = 4096

    /// Seals bytes into a URL-safe token, for example a login attempt or an authorization code.
    ///
    /// - Parameters:
    ///   - plaintext: At most 3,000 bytes. A longer plaintext makes a token over `longestToken`, which cannot be
    ///     opened.
    ///   - purpose: The use of the token. It opens for no other purpose.
    package func sealToken(_ plaintext: [UInt8], purpose: String) -> String {
        Self.encrypt(plaintext, under: newest.tokens, of: newest.id, for: Array(purpose.utf8)).bytes.base64URL
    }

    /// Opens a token that may be forged.
    ///
    /// - Throws: `tooLong` before any work, `malformed`, `unknownKey`, or `forged`. A token of another purpose is also
    ///   `forged`.
    package func openToken(_ token: String, purpose: String) throws(SealingError) -> [UInt8] {
        guard token.utf8.count <= Self.longestToken else { throw .tooLong }
        guard let bytes = [UInt8](base64URL: token) else { throw .malformed }
        return try decrypt(Sealed(bytes: bytes), with: \.tokens, for: Array(purpose.utf8))
    }
}

// MARK: Keyed hashes

extension Keyring {
    /// Returns the same master keys with the installation's digest keys.
    ///
    /// A random digest key is used for new values after its start. Until then, an imported key is used, because servers of the
    /// previous version verify only its values. The current key is chosen here, once.
    ///
    /// - Throws: `noDigestKey` if none of the digest keys is random.
    package func with(_ digestKeys: [DigestKey], at now: Date) throws(Refusal) -> Keyring {
        let random = digestKeys.filter { $0.start != nil }.sorted { $0.start! > $1.start! }
        guard let latest = random.first else { throw .noDigestKey }
        let imported = digestKeys.filter { $0.start == nil }
        // The imported key of the first master key, because servers of the previous version use it.
        let started = random.first { $0.start! <= now }
        let current = started ?? keys.lazy.compactMap { key in imported.first { $0.id == key.id } }.first ?? imported.first ?? latest
        var ring = self
        ring.digestKeys = [current] + (random + imported).filter { $0.id != current.id }
        return ring
    }

    /// The keys that a version without digest keys used for digests and MACs, one for each master key.
    package var digestKeysOfMasterKeys: [DigestKey] {
        keys.map { DigestKey($0) }
    }

    package var hasDigestKeys: Bool { !digestKeys.isEmpty }

    private var currentDigestKey: DigestKey {
        guard let key = digestKeys.first else { preconditionFailure("the digest keys of the database were not added to the keyring") }
        return key
    }

    /// Returns the current key's hash of a high-entropy secret (HMAC-SHA256, 32 bytes), to store instead of the
    /// secret.
    ///
    /// Do not use it for passwords, because the holder of the key could try millions of them.
    package func digest(_ secret: [UInt8], purpose: String) -> [UInt8] {
        Self.authenticate(secret, purpose: purpose, under: currentDigestKey.digests)
    }

    /// Returns the hash under every digest key, the current one first. A lookup uses `= ANY`.
    package func digests(_ secret: [UInt8], purpose: String) -> [[UInt8]] {
        digestKeys.map { Self.authenticate(secret, purpose: purpose, under: $0.digests) }
    }

    /// The ID of the digest key for a new MAC.
    package var currentDigestKeyID: KeyID { currentDigestKey.id }

    /// Returns the MAC of a message (HMAC-SHA256, 32 bytes), for tokens that are calculated again instead of stored.
    ///
    /// - Returns: Nil if the installation has no such digest key.
    package func mac(_ message: [UInt8], purpose: String, keyID: KeyID) -> [UInt8]? {
        digestKeys.first { $0.id == keyID }.map { Self.authenticate(message, purpose: purpose, under: $0.macs) }
    }
}

// MARK: Digests that belong to a row

extension Keyring {
    /// Binds a digest to its row: HMAC-SHA256 over the row's context and the digest, under a random digest key.
    ///
    /// A row authenticates its secret only together with this value. So a row that was moved or copied to another owner or ID
    /// authenticates nobody, although its digest is right.
    package func bind(_ digest: [UInt8], to context: SealingContext) -> [UInt8] {
        guard let key = digestKeys.lazy.compactMap(\.bindings).first else {
            preconditionFailure("the digest keys of the database were not added to the keyring")
        }
        return Self.authenticate(context.encoded + digest, purpose: "bound", under: key)
    }

    /// Whether a digest belongs to its row.
    package enum Binding: Sendable {
        case proven
        /// The value is missing, as in a row of the previous version.
        case missing
        case wrong
    }

    /// Checks whether a digest is bound to its row. The result depends only on the row, so it can be stored with the row.
    /// - Parameter bound: The result of `bind` for the row. Nil in a row of the previous version.
    package func binding(of digest: [UInt8], _ bound: [UInt8]?, to context: SealingContext) -> Binding {
        guard let bound else { return .missing }
        let message = context.encoded + digest
        let isProven = digestKeys.contains { key in
            key.bindings.map { constantTimeEqual(Self.authenticate(message, purpose: "bound", under: $0), bound) } ?? false
        }
        return isProven ? .proven : .wrong
    }

    /// Whether a row authenticates its secret. Its digest must be one of the secret's digests and must be bound to
    /// this row.
    ///
    /// - Parameters:
    ///   - digests: The secret's digests, from `digests`.
    ///   - binding: The result of `binding` for the row.
    package func authenticates(_ digests: [[UInt8]], digest stored: [UInt8], _ binding: Binding, at now: Date) -> Bool {
        guard digests.contains(where: { constantTimeEqual($0, stored) }) else { return false }
        switch binding {
        case .proven: return true
        case .missing: return acceptsUnboundDigests(at: now)
        case .wrong: return false
        }
    }

    /// Whether servers of the previous version may still write rows with unbound digests. They may until the first random digest key
    /// starts.
    package func acceptsUnboundDigests(at now: Date) -> Bool {
        digestKeys.contains { $0.start == nil } && digestKeys.compactMap(\.start).allSatisfy { now < $0 }
    }
}

// MARK: The primitives

extension Keyring {
    private static func authenticate(_ message: [UInt8], purpose: String, under key: MACKey) -> [UInt8] {
        // The length of the purpose comes first, so that no other pair of purpose and message has the same input.
        var input: [UInt8] = []
        input.reserveCapacity(4 + purpose.utf8.count + message.count)
        input.append(lengthPrefixed: purpose.utf8)
        input.append(contentsOf: message)
        return key.code(for: input)
    }

    private static func encrypt(_ plaintext: [UInt8], under key: MACKey, of id: KeyID, for context: [UInt8]) -> Sealed {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Sealed.overhead + plaintext.count)
        bytes.append(Sealed.version)
        bytes.append(contentsOf: id.bytes)
        let random = SystemRandomness()
        for _ in 0..<(Sealed.saltByteCount + Sealed.nonceByteCount) / 8 {
            withUnsafeBytes(of: random.next()) { bytes.append(contentsOf: $0) }
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
        _ sealed: Sealed, with use: (DerivedKeys) -> MACKey, for context: [UInt8]
    ) throws(SealingError) -> [UInt8] {
        guard let id = sealed.keyID else { throw .malformed }
        guard let key = key(id) else { throw .unknownKey }
        let bytes = sealed.bytes
        do {
            let box = try AES.GCM.SealedBox(combined: bytes[Sealed.nonceStart...])
            return Array(try AES.GCM.open(box, using: Self.messageKey(of: bytes, under: use(key)), authenticating: context))
        } catch {
            // If the box is long enough, only the tag check can fail.
            throw .forged
        }
    }

    /// The key of one sealed value, derived from the first half of its nonce.
    private static func messageKey(of sealed: [UInt8], under key: MACKey) -> SymmetricKey {
        SymmetricKey(data: key.code(for: sealed[Sealed.saltStart..<Sealed.nonceStart]))
    }
}
