import Encoding

/// The person of a new passkey.
package struct PasskeyUser: Sendable {
    /// 1 to 64 bytes. The authenticator returns them at a sign-in without a user name. Use random bytes or an ID without meaning, because
    /// an authenticator may show them without a verification of the person (Level 3, section 14.6.1).
    package let handle: [UInt8]
    /// A name that distinguishes the accounts of one person, such as an email address. Only browsers and authenticators show it.
    package let name: String
    /// The name of the person.
    package let displayName: String

    /// Nil if the handle is empty or too long.
    package init?(handle: [UInt8], name: String, displayName: String) {
        guard (1...64).contains(handle.count) else { return nil }
        (self.handle, self.name, self.displayName) = (handle, name, displayName)
    }
}

extension RelyingParty {
    /// The options for `navigator.credentials.create`, as JSON (Level 3, section 5.1.8: PublicKeyCredentialCreationOptionsJSON).
    ///
    /// The passkey must be discoverable, so that a sign-in needs no user name. The authenticator must verify the person. No statement about
    /// the authenticator is requested.
    /// - Parameter excluded: The passkeys of the account. An authenticator that has one of them creates no second one.
    package func creationOptions(for user: PasskeyUser, excluding excluded: [Passkey], challenge: PasskeyChallenge) throws -> String {
        let options = CreationOptions(
            rp: .init(id: id, name: name),
            user: .init(id: user.handle.base64URL, name: user.name, displayName: user.displayName),
            challenge: challenge.text,
            excludeCredentials: excluded.map(CredentialDescriptor.init))
        return String(decoding: try JSONWriter.encode(options), as: UTF8.self)
    }
}

/// A passkey in options (section 5.8.3).
struct CredentialDescriptor: Encodable {
    let type = "public-key"
    let id: String
    let transports: [String]

    init(_ passkey: Passkey) {
        (id, transports) = (passkey.id.base64URL, passkey.transports.map(\.rawValue))
    }

    private enum CodingKeys: CodingKey { case type, id, transports }
}

private struct CreationOptions: Encodable {
    struct Party: Encodable { let id, name: String }
    struct User: Encodable { let id, name, displayName: String }

    struct Parameters: Encodable {
        let type = "public-key"
        let alg: Int

        private enum CodingKeys: CodingKey { case type, alg }
    }

    struct Selection: Encodable {
        let residentKey = "required"
        /// Older browsers know only this member.
        let requireResidentKey = true
        let userVerification = "required"

        private enum CodingKeys: CodingKey { case residentKey, requireResidentKey, userVerification }
    }

    let rp: Party
    let user: User
    let challenge: String
    let pubKeyCredParams = CredentialKey.Algorithm.allCases.map { Parameters(alg: $0.rawValue) }
    /// In milliseconds.
    let timeout = PasskeyChallenge.timeout * 1000
    let excludeCredentials: [CredentialDescriptor]
    let authenticatorSelection = Selection()
    let attestation = "none"

    private enum CodingKeys: CodingKey {
        case rp, user, challenge, pubKeyCredParams, timeout, excludeCredentials, authenticatorSelection, attestation
    }
}
