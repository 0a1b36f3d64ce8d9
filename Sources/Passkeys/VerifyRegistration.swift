package import Encoding
package import Foundation

/// The response of `navigator.credentials.create` that `PasskeyScript` posts.
package struct RegistrationResponse: Sendable {
    /// The maximum size of the posted form in bytes. The longest accepted values have about 27,000 in base64url.
    package static let longestForm = 32_768

    let clientData, attestationObject: [UInt8]
    let transports: [Passkey.Transport]

    package init(clientData: [UInt8], attestationObject: [UInt8], transports: [Passkey.Transport] = []) {
        (self.clientData, self.attestationObject, self.transports) = (clientData, attestationObject, transports)
    }

    /// Reads the fields `client_data`, `attestation_object` and `transports`. Nil if one is missing or is not base64url.
    ///
    /// Unknown transports are left out, because browsers add new ones.
    package init?(_ form: Form) {
        guard let clientData = form.bytes("client_data"), let attestationObject = form.bytes("attestation_object") else { return nil }
        let names = (form["transports"] ?? "").parts(at: ",")
        self.init(
            clientData: clientData, attestationObject: attestationObject,
            transports: Passkey.Transport.allCases.filter { names.has($0.rawValue) })
    }
}

extension RelyingParty {
    /// Verifies the registration of a passkey, with the steps and in the order of Level 3, section 7.1.
    ///
    /// The caller has done the steps around it: it used the challenge up, and saves the passkey only if its ID is new (step 26). A
    /// registration proves that somebody had an authenticator. It does not prove who, so the account must be signed in.
    /// - Throws: The first failed step.
    package func verify(
        _ response: RegistrationResponse, challenge: PasskeyChallenge, at now: Date
    ) throws(PasskeyRefusal) -> Passkey {
        // Steps 5 to 11.
        try check(response.clientData, is: "webauthn.create", challenge: challenge, at: now)
        // Step 13. Step 12, the hash of the client data, is only for statements.
        guard let object = AttestationObject(response.attestationObject) else { throw .attestation }
        guard let data = AuthenticatorData(object.authenticatorData), let credential = data.credential else { throw .authenticatorData }
        // Steps 14 to 17. Steps 18 and 19 have no rule here: a passkey may be copied to other devices or not.
        try check(data)
        // Step 20. The options have exactly the algorithms of `CredentialKey`.
        do { _ = try CredentialKey(cose: credential.publicKey) } catch {
            switch error {
            case .algorithm: throw .algorithm
            case .malformed: throw .publicKey
            }
        }
        // Steps 21 to 24 are in `AttestationObject`: every statement counts as none. Step 25.
        guard (1...1023).contains(credential.id.count) else { throw .credentialID }
        // Step 27. Step 28 has no rule here: extensions have no effect.
        return Passkey(
            id: credential.id, publicKey: credential.publicKey, aaguid: credential.aaguid, signCount: data.signCount,
            isBackupEligible: data.flags.contains(.backupEligible), isBackedUp: data.flags.contains(.backedUp),
            transports: response.transports)
    }
}
