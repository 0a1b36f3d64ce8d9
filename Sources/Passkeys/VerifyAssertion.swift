import Crypto
package import Encoding
package import Foundation

/// The response of `navigator.credentials.get` that `PasskeyScript` posts.
package struct AssertionResponse: Sendable {
    /// The maximum size of the posted form in bytes. The longest accepted values have about 13,000 in base64url.
    package static let longestForm = 16_384

    /// Names the passkey, before anything is verified.
    package let credentialID: [UInt8]
    /// Names the account, before anything is verified. Nil for authenticators that saved none.
    package let userHandle: [UInt8]?
    let clientData, authenticatorData, signature: [UInt8]

    package init(credentialID: [UInt8], userHandle: [UInt8]?, clientData: [UInt8], authenticatorData: [UInt8], signature: [UInt8]) {
        (self.credentialID, self.userHandle) = (credentialID, userHandle)
        (self.clientData, self.authenticatorData, self.signature) = (clientData, authenticatorData, signature)
    }

    /// Reads the fields `credential_id`, `user_handle`, `client_data`, `authenticator_data` and `signature`. Only the user handle may be
    /// empty. Nil if another one is missing, or if one is not base64url.
    package init?(_ form: Form) {
        guard let credentialID = form.bytes("credential_id"), let clientData = form.bytes("client_data"),
            let authenticatorData = form.bytes("authenticator_data"), let signature = form.bytes("signature"),
            form["user_handle"] == nil || form.bytes("user_handle") != nil
        else { return nil }
        self.init(
            credentialID: credentialID, userHandle: form.bytes("user_handle"), clientData: clientData,
            authenticatorData: authenticatorData, signature: signature)
    }
}

/// The account of an assertion, as far as it is known before the assertion (Level 3, section 7.2, step 6).
package enum AssertedAccount: Sendable {
    /// An account that the server knows, such as from a password or a session.
    /// - Parameter allowed: The credential IDs in the options. Any passkey of the account is permitted if it is empty.
    case known(userHandle: [UInt8], allowed: [[UInt8]] = [])
    /// An account that only the response names. Sign-in without a user name needs the user handle in the response.
    case named(userHandle: [UInt8])
}

extension RelyingParty {
    /// Verifies the use of a passkey, with the steps and in the order of Level 3, section 7.2.
    ///
    /// The caller has used the challenge up. It finds the passkey by the credential ID, among the passkeys of the account. After a success,
    /// it saves the returned passkey, and only if the saved counter is still the one of `passkey`. Otherwise two assertions at the same
    /// time would both count as the next one.
    /// - Parameters:
    ///   - passkey: The saved passkey of the account.
    ///   - account: The account that the passkey belongs to.
    /// - Returns: The passkey with the new counter and backup state (step 24).
    /// - Throws: The first failed step. After `possibleClone`, the caller writes an audit event, and does not save the counter.
    package func verify(
        _ response: AssertionResponse, with passkey: Passkey, of account: AssertedAccount, challenge: PasskeyChallenge, at now: Date
    ) throws(PasskeyRefusal) -> Passkey {
        // Steps 5 and 6.
        switch account {
        case .known(let userHandle, let allowed):
            guard allowed.isEmpty || allowed.contains(response.credentialID) else { throw .notAllowed }
            guard passkey.id == response.credentialID else { throw .credential }
            guard response.userHandle == nil || response.userHandle == userHandle else { throw .userHandle }
        case .named(let userHandle):
            guard passkey.id == response.credentialID else { throw .credential }
            guard response.userHandle == userHandle else { throw .userHandle }
        }
        // Steps 8 to 14.
        try check(response.clientData, is: "webauthn.get", challenge: challenge, at: now)
        // Steps 15 to 18. An assertion has no credential data (section 6.1).
        guard let data = AuthenticatorData(response.authenticatorData), data.credential == nil else { throw .authenticatorData }
        try check(data)
        // Step 19.
        guard data.flags.contains(.backupEligible) == passkey.isBackupEligible else { throw .backupEligibility }
        // Steps 20 and 21.
        guard let key = try? CredentialKey(cose: passkey.publicKey) else { throw .publicKey }
        let signed = response.authenticatorData + SHA256.hash(data: response.clientData)
        guard key.verifies(response.signature, of: signed) else { throw .signature }
        // Step 22. Authenticators without a counter always send 0.
        guard data.signCount > passkey.signCount || data.signCount == 0 && passkey.signCount == 0
        else { throw .possibleClone(stored: passkey.signCount, received: data.signCount) }
        // Step 24. Step 23 has no rule here: extensions have no effect.
        return Passkey(
            id: passkey.id, publicKey: passkey.publicKey, aaguid: passkey.aaguid, signCount: data.signCount,
            isBackupEligible: passkey.isBackupEligible, isBackedUp: data.flags.contains(.backedUp), transports: passkey.transports)
    }
}
