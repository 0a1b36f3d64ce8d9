import Apple
import Foundation
import Hummingbird
import Sessions
import Web

/// What an application on a device got from Apple's framework, and hands to us instead of going through a browser.
struct NativeSignIn: Sendable {
    /// Apple's `identityToken`.
    let idToken: String
    /// What the application made up for this sign-in: in the id_token it stands as it is, or as its SHA-256 in hexadecimal.
    let nonce: String?
    /// Apple's `authorizationCode`, to be exchanged for Apple's refresh token.
    let code: String?
    /// The name, which Apple tells the device the first time and never again.
    let name: AppleUser?
    let scope: String

    /// As that of an authorization request: it stands in our id_token.
    static let longestNonce = 512
    /// Apple's codes have about 70 characters.
    static let longestCode = 2048

    private init(idToken: String, nonce: String?, code: String?, user: String?, scope: String?) throws(OAuthError) {
        (self.idToken, self.nonce, self.code, name) = (idToken, nonce, code, user.flatMap(AppleUser.init(field:)))
        guard let scope = Scope.granted(for: scope) else { throw OAuthError(.invalidScope, Scope.refusal) }
        self.scope = scope
    }
}

// MARK: As JSON

extension NativeSignIn {
    /// Reads what is posted to the callback, and which application it says it is from.
    /// - Throws: `OAuthError` for what cannot be read; `NIOTooManyBytesError`, which is answered with 413.
    static func posted(_ request: Request, upTo limit: Int) async throws -> (sent: NativeSignIn, client: String?) {
        do {
            var fields = try await JSONFields(request, upTo: limit)
            return try read(&fields)
        } catch let problem as Problem {
            throw OAuthError(.invalidRequest, printable(problem.detail))
        }
    }

    /// - Throws: `Problem`, or `OAuthError` for a scope of which nothing can be granted.
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

    /// Apple's JSON, as a string or as the object itself. Without a name in it a sign-in goes on.
    private static func user(_ fields: inout JSONFields) -> String? {
        switch fields.value("user") {
        case nil: return nil
        case .string(let text): return text
        case .object(let members):
            return (try? JSONWriter.encode(JSONValue.object(members))).map { String(decoding: $0, as: UTF8.self) }
        default:
            fields.refuse("user", "It must be an object, or one as a string.")
            return nil
        }
    }

    /// A name of the caller's may be in the text; an `error_description` has no other characters (RFC 6749, section 5.2).
    private static func printable(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { (0x20...0x7E).contains($0.value) && $0 != "\"" && $0 != "\\" }))
    }
}

// MARK: As a form

extension NativeSignIn {
    /// Reads the parameters of a token exchange: `subject_token`, and those that are ours.
    init(_ form: Form) throws(OAuthError) {
        guard let token = form["subject_token"] else { throw OAuthError(.invalidRequest, "subject_token is missing.") }
        for (name, longest) in [("nonce", Self.longestNonce), ("code", Self.longestCode)] {
            guard (form[name] ?? "").unicodeScalars.count <= longest
            else { throw OAuthError(.invalidRequest, "\(name) is longer than \(longest) characters.") }
        }
        try self.init(idToken: token, nonce: form["nonce"], code: form["code"], user: form["user"], scope: form["scope"])
    }
}
