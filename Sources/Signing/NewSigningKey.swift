import Access
import Crypto
import CryptoExtras
import Dispatch
import Foundation
import Postgres
import Sealing
import Tenancy

/// A new signing key, sealed for its row.
struct NewSigningKey: Sendable {
    private let tenant: ID<Tenant>
    private let id: ID<SigningKey>
    private let algorithm: SigningKey.Algorithm
    private let sealedPrivate: Sealed
    private let createdAt: Date

    init(_ algorithm: SigningKey.Algorithm, for tenant: ID<Tenant>, with keyring: Keyring, at now: Date) async throws {
        (self.tenant, self.algorithm, createdAt) = (tenant, algorithm, now)
        id = ID(at: now)
        sealedPrivate = keyring.seal(try await Self.make(algorithm), in: SigningKey.context(id, of: tenant))
    }

    /// Where RSA keys are made, one at a time. A serial queue has a thread beyond those that Swift's tasks and global queues share.
    private static let primes = DispatchQueue(label: "espalier.rsa-keys", qos: .userInitiated)

    /// A new private key in its stored form.
    private static func make(_ algorithm: SigningKey.Algorithm) async throws -> [UInt8] {
        switch algorithm {
        case .ES256: return [UInt8](P256.Signing.PrivateKey().rawRepresentation)
        case .RS256:
            // Two primes of 1024 bits can take most of a second.
            return try await withCheckedThrowingContinuation { continuation in
                primes.async {
                    continuation.resume(with: Result { [UInt8](try _RSA.Signing.PrivateKey(keySize: .bits2048).derRepresentation) })
                }
            }
        }
    }

    /// Makes two keys of an algorithm: the current key, and the next key, which is published at once.
    static func pair(
        _ algorithm: SigningKey.Algorithm, for tenant: ID<Tenant>, with keyring: Keyring, at now: Date
    ) async throws -> (current: NewSigningKey, next: NewSigningKey) {
        async let current = NewSigningKey(algorithm, for: tenant, with: keyring, at: now)
        async let next = NewSigningKey(algorithm, for: tenant, with: keyring, at: now)
        return (try await current, try await next)
    }

    // MARK: Rows

    /// The statements that insert the first keys of an algorithm. They insert nothing if another process was faster.
    static func insertFirst(
        _ algorithm: SigningKey.Algorithm, of tenant: ID<Tenant>, with keyring: Keyring, at now: Date
    ) async throws -> [SQL] {
        let (current, next) = try await pair(algorithm, for: tenant, with: keyring, at: now)
        return [current.insert(as: .current), next.insert(as: .next)]
    }

    /// An existing key of this algorithm and state stays. The new key is then never used.
    func insert(as state: SigningKey.State) -> SQL {
        """
        INSERT INTO signing_key (tenant_id, id, algorithm, sealed_private, state, created_at, activated_at)
        VALUES (\(tenant), \(id), \(algorithm), \(sealedPrivate.bytes), \(state), \(createdAt), \(state == .next ? nil : createdAt))
        ON CONFLICT DO NOTHING
        """
    }
}
