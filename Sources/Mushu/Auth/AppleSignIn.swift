import Apple
import Sessions
import SignIn
import Web

/// The response of Apple's framework on a device, in Mushu's fields.
struct AppleSignIn: Sendable {
    let native: NativeSignIn

    /// Reads the body. Mushu ignores unknown members, so this does, too.
    /// - Parameters:
    ///   - idToken: the name of the member with Apple's id_token.
    ///   - code: the name of the member with Apple's authorization code; nil for none.
    /// - Throws: `Problem` that names each invalid member.
    init(
        _ fields: inout JSONFields, idToken: String, code codeName: String?, isCodeRequired: Bool, isNonceRequired: Bool
    ) throws {
        let token = fields.block(idToken, isRequired: true)
        let code = codeName.flatMap { fields.text($0, 1...NativeSignIn.longestCode, isRequired: isCodeRequired) }
        let nonce = fields.text("nonce", 1...NativeSignIn.longestNonce, isRequired: isNonceRequired)
        // A name is cleaned and shortened. An empty one is as good as none.
        let (given, family) = (fields.text("given_name", 0...Self.longestName), fields.text("family_name", 0...Self.longestName))
        try fields.finishKnown()
        native = NativeSignIn(
            idToken: token ?? "", nonce: nonce, code: code, name: AppleUser(givenName: given, familyName: family),
            scope: Scope.all)
    }

    private static let longestName = 1000
}
