import Encoding

extension RelyingParty {
    /// The options for `navigator.credentials.get`, as JSON (Level 3, section 5.1.9: PublicKeyCredentialRequestOptionsJSON). The
    /// authenticator must verify the person.
    /// - Parameter allowed: The passkeys of a known account. If it is empty, the authenticator offers each of its passkeys for this site.
    ///   For an account that is not signed in, do not list its passkeys: the list would show that it exists.
    package func requestOptions(allowing allowed: [Passkey] = [], challenge: PasskeyChallenge) throws -> String {
        let options = RequestOptions(challenge: challenge.text, rpId: id, allowCredentials: allowed.map(CredentialDescriptor.init))
        return String(decoding: try JSONWriter.encode(options), as: UTF8.self)
    }
}

private struct RequestOptions: Encodable {
    let challenge: String
    /// In milliseconds.
    let timeout = PasskeyChallenge.timeout * 1000
    let rpId: String
    let allowCredentials: [CredentialDescriptor]
    let userVerification = "required"

    private enum CodingKeys: CodingKey { case challenge, timeout, rpId, allowCredentials, userVerification }
}
