import Encoding
import Foundation

/// The steps that registrations and assertions share.
extension RelyingParty {
    /// Verifies the client data (Level 3, section 7.1, steps 5 to 11, and section 7.2, steps 8 to 14).
    /// - Parameter type: The type of the ceremony.
    func check(_ bytes: [UInt8], is type: String, challenge: PasskeyChallenge, at now: Date) throws(PasskeyRefusal) {
        guard let clientData = ClientData(bytes) else { throw .clientData }
        guard clientData.type.isSame(as: type) else { throw .type }
        guard clientData.challenge.isSame(as: challenge.text) else { throw .challenge }
        // The specification leaves the time to the relying party.
        guard !challenge.isExpired(at: now) else { throw .expired }
        guard origins.has(clientData.origin) else { throw .origin }
        // Our pages are never in a frame.
        guard !clientData.isCrossOrigin else { throw .crossOrigin }
        guard clientData.topOrigin == nil else { throw .topOrigin }
    }

    /// Verifies the statements of the authenticator (section 7.1, steps 14 to 17, and section 7.2, steps 15 to 18).
    func check(_ data: AuthenticatorData) throws(PasskeyRefusal) {
        guard data.rpIDHash == idHash else { throw .relyingParty }
        guard data.flags.contains(.userPresent) else { throw .userNotPresent }
        // Every passkey counts as two factors, so the authenticator must have verified the person.
        guard data.flags.contains(.userVerified) else { throw .userNotVerified }
        guard data.flags.contains(.backupEligible) || !data.flags.contains(.backedUp) else { throw .backupState }
    }
}

extension Form {
    /// The bytes of a field in base64url. Nil if it is absent, or in any other form.
    func bytes(_ name: String) -> [UInt8]? {
        self[name].flatMap { [UInt8](base64URL: $0) }
    }
}
