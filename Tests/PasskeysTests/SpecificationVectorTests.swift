import Crypto
import Foundation
@testable import Passkeys
import Testing

@Suite("Test vectors of the specification")
struct SpecificationVectorTests {
    private static let party = RelyingParty(name: "Example", origins: ["https://example.org"])!
    private static let now = Date(timeIntervalSince1970: 1_795_000_000)

    private static func registration(_ vector: SpecificationVectors) throws(PasskeyRefusal) -> Passkey {
        try party.verify(
            RegistrationResponse(clientData: vector.clientData, attestationObject: vector.attestationObject),
            challenge: PasskeyChallenge(saved: vector.challenge, createdAt: now)!, at: now)
    }

    private static func assertion(_ vector: SpecificationVectors, _ passkey: Passkey) throws(PasskeyRefusal) -> Passkey {
        let response = AssertionResponse(
            credentialID: passkey.id, userHandle: nil, clientData: vector.nextClientData, authenticatorData: vector.authenticatorData,
            signature: vector.signature)
        return try party.verify(
            response, with: passkey, of: .known(userHandle: [1]), challenge: PasskeyChallenge(saved: vector.nextChallenge, createdAt: now)!,
            at: now)
    }

    @Test("registrations and assertions with a verified person are accepted", arguments: [SpecificationVectors.packed, .tpm])
    func accepted(_ vector: SpecificationVectors) throws {
        let passkey = try Self.registration(vector)
        #expect(passkey.id.count == 32)
        #expect(try Self.assertion(vector, passkey).signCount == 0)
    }

    @Test("a registration with a self attestation is accepted, and its assertion without a verified person is not")
    func selfAttestation() throws {
        let passkey = try Self.registration(.selfAttestation)
        #expect(passkey.isBackupEligible && passkey.isBackedUp)
        #expect(throws: PasskeyRefusal.userNotVerified) { try Self.assertion(.selfAttestation, passkey) }
    }

    @Test("all other vectors fail exactly the step that we require")
    func refused() {
        for (vector, refusal) in [
            (.none, .userNotVerified), (.longCredentialID, .userNotVerified), (.ed25519, .userNotVerified), (.crossOrigin, .crossOrigin),
            (.topOrigin, .crossOrigin), (.rs256, .algorithm),
        ] as [(SpecificationVectors, PasskeyRefusal)] {
            #expect(throws: refusal) { try Self.registration(vector) }
        }
    }

    /// Also those whose registration fails for its policy.
    @Test(
        "the signature of every assertion is valid for the key of its registration",
        arguments: [
            SpecificationVectors.none, .selfAttestation, .crossOrigin, .topOrigin, .longCredentialID, .packed, .tpm, .ed25519,
        ])
    func signatures(_ vector: SpecificationVectors) throws {
        let object = try #require(AttestationObject(vector.attestationObject))
        let credential = try #require(AuthenticatorData(object.authenticatorData)?.credential)
        let key = try CredentialKey(cose: credential.publicKey)
        #expect(key.verifies(vector.signature, of: vector.authenticatorData + SHA256.hash(data: vector.nextClientData)))
        #expect(!key.verifies(vector.signature, of: vector.authenticatorData + SHA256.hash(data: vector.clientData)))
    }

    @Test("a credential ID of 1023 bytes is read")
    func longCredentialID() throws {
        let object = try #require(AttestationObject(SpecificationVectors.longCredentialID.attestationObject))
        let credential = try #require(AuthenticatorData(object.authenticatorData)?.credential)
        #expect(credential.id.count == 1023)
        // The assertion has a verified person.
        let passkey = Passkey(
            id: credential.id, publicKey: credential.publicKey, aaguid: credential.aaguid, signCount: 0, isBackupEligible: true,
            isBackedUp: false,
            transports: [])
        #expect(throws: Never.self) { try Self.assertion(.longCredentialID, passkey) }
    }
}
