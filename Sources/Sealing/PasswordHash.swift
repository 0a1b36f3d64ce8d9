import CArgon2
import Dispatch

/// A password's Argon2id hash in its encoded form, `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`.
///
/// The parameters are OWASP's: 19 MiB, 2 passes, 1 lane, about 20 ms. Hashing runs on its own thread, one password at
/// a time. So Swift's thread pool never blocks, and a flood of guesses waits in line instead of using all memory.
package struct PasswordHash: Sendable, Hashable {
    /// The stored form.
    package let encoded: String

    /// Accepts the stored form; nil if it is not an Argon2id hash.
    package init?(encoded: String) {
        guard encoded.hasPrefix("$argon2id$v=19$"), encoded.utf8.count <= 256 else { return nil }
        self.encoded = encoded
    }

    private init(fresh encoded: String) {
        self.encoded = encoded
    }

    /// Hashes a password under a random salt.
    package static func hash(_ password: Secret) async -> PasswordHash {
        await onOwnThread {
            var random = SystemRandomNumberGenerator()
            let salt = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            let password = password.revealBytes()
            var encoded = [CChar](repeating: 0, count: 129)
            let result = argon2id_hash_encoded(
                2, 19 * 1024, 1, password, password.count, salt, salt.count, 32, &encoded, encoded.count)
            precondition(result == ARGON2_OK.rawValue, "Argon2id fails only for lack of memory")
            return PasswordHash(fresh: String(decoding: encoded.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
        }
    }

    /// Whether this is the hashed password.
    package static func verify(_ password: Secret, against hash: PasswordHash) async -> Bool {
        await onOwnThread {
            let password = password.revealBytes()
            return argon2id_verify(hash.encoded, password, password.count) == ARGON2_OK.rawValue
        }
    }

    private static let queue = DispatchQueue(label: "espalier.password-hash")

    private static func onOwnThread<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work()) }
        }
    }
}
