import APIs
import Access
package import Apple
import Encoding
import Foundation
import Hummingbird
import Sessions
import Web

/// The response of Apple's framework to an application on a device. The application sends it to Espalier instead of using a browser.
package struct NativeSignIn: Sendable {
    /// Apple's `identityToken`.
    let idToken: String
    /// The nonce that the application generated for this sign-in. The id_token contains it unchanged, or as its SHA-256 in hexadecimal.
    let nonce: String?
    /// Apple's `authorizationCode`, which Espalier exchanges for Apple's refresh token.
    let code: String?
    /// The name. Apple sends it to the device only the first time.
    let name: AppleUser?
    let scope: String
    /// The APIs that the sign-in is for.
    var apis: [ID<API>] = []

    /// The limit of an authorization request. Espalier's id_token contains the nonce.
    package static let longestNonce = 512
    /// Apple's codes have about 70 characters.
    package static let longestCode = 2048

    /// A sign-in for an interface with its own fields.
    /// - Parameter scope: supported scopes.
    package init(idToken: String, nonce: String?, code: String?, name: AppleUser?, scope: String) {
        (self.idToken, self.nonce, self.code, self.name, self.scope) = (idToken, nonce, code, name, scope)
    }

    private init(idToken: String, nonce: String?, code: String?, user: String?, scope: String?, apis: [TokenTarget.NamedAPI] = [])
        throws(OAuthError)
    {
        (self.idToken, self.nonce, self.code, name) = (idToken, nonce, code, user.flatMap(AppleUser.init(field:)))
        guard let scope = Scope.granted(for: scope, apis: apis) else { throw OAuthError(.invalidScope, Scope.refusal) }
        guard scope.utf8.count <= Scope.longest
        else { throw OAuthError(.invalidScope, "The granted scope is longer than \(Scope.longest) bytes. Request fewer scopes.") }
        (self.scope, self.apis) = (scope, apis.map(\.api.id))
    }
}

// MARK: As JSON

extension NativeSignIn {
    /// Reads the JSON that is posted to the callback, and the client ID in it.
    /// - Throws: `OAuthError` for a body that cannot be read; `NIOTooManyBytesError`, which becomes a 413 response.
    static func posted(_ request: Request, upTo limit: Int) async throws -> (sent: NativeSignIn, client: String?) {
        do {
            var fields = try await JSONFields(request, upTo: limit)
            return try read(&fields)
        } catch let problem as Problem {
            throw OAuthError(.invalidRequest, printable(problem.detail))
        }
    }

    /// - Throws: `Problem`, or `OAuthError` for a scope of which no part can be granted.
    static func read(_ fields: inout JSONFields) throws -> (sent: NativeSignIn, client: String?) {
        let idToken = fields.block("id_token", isRequired: true)
        let nonce = fields.text("nonce", 1...longestNonce)
        let code = fields.text("code", 1...longestCode)
        let scope = fields.text("scope", 0...1000)
        let client = fields.text("client_id")
        let user = user(&fields)
        try fields.finish()
        return (try NativeSignIn(idToken: idToken ?? "", nonce: nonce, code: code, user: user, scope: scope), client)
    }

    /// Apple's JSON, as a string or as the object itself. A sign-in without a name in it continues.
    private static func user(_ fields: inout JSONFields) -> String? {
        switch fields.value("user") {
        case nil: return nil
        case .string(let text): return text
        case .object(let members):
            return (try? JSONWriter.encode(JSONValue.object(members))).map { String(decoding: $0, as: UTF8.self) }
        default:
            fields.refuse("user", "It must be a JSON object, or a string that contains one.")
            return nil
        }
    }

    /// The text may contain a name from the caller. An `error_description` allows no other characters (RFC 6749, section 5.2).
    private static func printable(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { (0x20...0x7E).contains($0.value) && $0 != "\"" && $0 != "\\" }))
    }
}

// MARK: As a form

extension NativeSignIn {
    /// Reads the parameters of a token exchange: `subject_token`, and Espalier's additions.
    /// - Parameter apis: the APIs that the form names.
    init(_ form: Form, for apis: [TokenTarget.NamedAPI] = []) throws(OAuthError) {
        guard let token = form["subject_token"] else { throw OAuthError(.invalidRequest, "subject_token is missing.") }
        for (name, longest) in [("nonce", Self.longestNonce), ("code", Self.longestCode)] {
            guard (form[name] ?? "").unicodeScalars.count <= longest
            else { throw OAuthError(.invalidRequest, "\(name) is longer than \(longest) characters.") }
        }
        try self.init(
            idToken: token, nonce: form["nonce"], code: form["code"], user: form["user"], scope: form["scope"],
            apis: apis)
    }
}
