import Access
import ClientKeys
import Crypto
import Encoding
import Factors
import Foundation
import Passkeys
import People
import Postgres

extension AccountEndpoints {
    func makeChallenge() -> PasskeyChallenge {
        var random = SystemRandomness()
        return PasskeyChallenge(at: now(), using: &random)
    }

    /// Uses a challenge up, before the response to it is verified. False if a response came before.
    func useUp(_ challenge: PasskeyChallenge) async throws -> Bool {
        let digest = Array(SHA256.hash(data: challenge.bytes))
        let end = challenge.createdAt.addingTimeInterval(PasskeyChallenge.lifetime)
        return try await !people.run(SingleUses.insertIfNew(digest, of: ID(UUID.platform), until: end)).isEmpty
    }
}

extension PersonPasskey {
    /// The form that `Passkeys` verifies.
    var passkey: Passkey {
        Passkey(
            id: credential, publicKey: publicKey, aaguid: aaguid, signCount: UInt32(clamping: signCount),
            isBackupEligible: isBackupEligible, isBackedUp: isBackedUp, transports: transports.compactMap(Passkey.Transport.init))
    }

    /// The bytes that name an account to an authenticator.
    static func userHandle(of person: ID<Person>) -> [UInt8] { withUnsafeBytes(of: person.uuid.uuid, Array.init) }

    /// The account that an authenticator names.
    static func person(of handle: [UInt8]) -> ID<Person>? {
        guard handle.count == 16 else { return nil }
        return ID(handle.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
    }
}
