import Apple
import Crypto
import Encoding
import Foundation
import Testing

@Suite("id_token")
struct IDTokenTests {
    /// Verifies a token with a server that publishes the first key.
    private func verify(
        audiences: Set<String> = [Claims.audience], nonce: String? = Claims.nonce, form: IDToken.NonceForm = .exact,
        at now: Date = Claims.now, token: (SigningKey) throws -> String
    ) async throws -> IDToken {
        let key = try await SigningKey.make("key-1")
        let token = try token(key)
        return try await FakeApple.run { apple, client in
            apple.answerKeys(key)
            return try await client.verify(token, audiences: audiences, nonce: nonce, nonceForm: form, at: now)
        }
    }

    private func expectRefusal(
        _ refusal: IDTokenRefusal, audiences: Set<String> = [Claims.audience], nonce: String? = Claims.nonce,
        form: IDToken.NonceForm = .exact, at now: Date = Claims.now, sourceLocation: SourceLocation = #_sourceLocation,
        token: (SigningKey) throws -> String
    ) async {
        await #expect(throws: AppleError.untrusted(refusal), sourceLocation: sourceLocation) {
            try await verify(audiences: audiences, nonce: nonce, form: form, at: now, token: token)
        }
    }

    @Test("a valid token is accepted and its claims are read")
    func accepted() async throws {
        let token = try await verify {
            try $0.sign(Claims(["is_private_email": "true", "real_user_status": "2", "transfer_sub": #""000999.f.0001""#]))
        }
        #expect(token.issuer == "https://appleid.apple.com")
        #expect(token.audience == Claims.audience)
        #expect(token.subject == Claims.subject)
        #expect(token.email == "ada@example.com")
        #expect(token.emailVerified == true)
        #expect(token.isPrivateEmail == true)
        #expect(token.nonce == Claims.nonce)
        #expect(token.nonceSupported == true)
        #expect(token.realUserStatus == .likelyReal)
        #expect(token.transferSubject == "000999.f.0001")
        #expect(token.authTime == Claims.now)
        #expect(token.issuedAt == Claims.now)
        #expect(token.expiresAt == Claims.now + 86_400)
    }

    @Test("a token with only the required claims is accepted")
    func minimal() async throws {
        let token = try await verify(nonce: nil) {
            try $0.sign(
                Claims([
                    "nonce": nil, "nonce_supported": nil, "email": nil, "email_verified": nil, "auth_time": nil, "at_hash": nil,
                ]))
        }
        #expect(token.email == nil)
        #expect(token.emailVerified == nil)
        #expect(token.isPrivateEmail == nil)
        #expect(token.realUserStatus == nil)
        #expect(token.transferSubject == nil)
        #expect(token.authTime == nil)
    }

    @Test(
        "Booleans are read as Booleans and as strings; any other value counts as absent",
        arguments: [
            ("true", true), ("false", false), (#""true""#, true), (#""false""#, false), ("null", nil), ("1", nil), (#""yes""#, nil),
            (#""TRUE""#, nil), ("[true]", nil), (nil, nil),
        ] as [(String?, Bool?)])
    func booleans(json: String?, expected: Bool?) async throws {
        let token = try await verify { try $0.sign(Claims(["email_verified": json, "is_private_email": json])) }
        #expect(token.emailVerified == expected)
        #expect(token.isPrivateEmail == expected)
    }

    @Test(
        "an impossible transfer identifier counts as absent",
        arguments: [#""""#, #""a\u0000b""#, "\"" + String(repeating: "x", count: 256) + "\""])
    func oddTransferSubject(json: String) async throws {
        let token = try await verify { try $0.sign(Claims(["transfer_sub": json])) }
        #expect(token.transferSubject == nil)
    }

    @Test("claims that decide nothing do not fail a login if their type is wrong")
    func oddTypes() async throws {
        let token = try await verify {
            try $0.sign(Claims(["real_user_status": #""2""#, "auth_time": #""today""#, "transfer_sub": "17", "at_hash": "[]"]))
        }
        #expect(token.subject == Claims.subject)
        #expect(token.realUserStatus == nil)
        #expect(token.authTime == nil)
        #expect(token.transferSubject == nil)
    }

    // MARK: Form, algorithm, key, signature

    @Test(
        "a text that is not a JWT is rejected as malformed",
        arguments: ["", ".", "..", "a.b", "not a token", "e30.e30.e30", "e30=.e30.AAAA", String(repeating: "A", count: 100_000)])
    func malformed(text: String) async {
        await expectRefusal(.malformed) { _ in text }
    }

    @Test("a valid token of four parts, with padding, or with an invalid signature part is rejected as malformed")
    func malformedSpellings() async {
        await expectRefusal(.malformed) { try $0.sign(Claims()) + ".e30" }
        await expectRefusal(.malformed) { try $0.sign(Claims()) + "==" }
        await expectRefusal(.malformed) { try $0.sign(Claims()) + "\n" }
        // 256 bytes leave four bits of the last character unused. If they are set, the same signature has a second
        // spelling.
        await expectRefusal(.malformed) {
            let token = try $0.sign(Claims())
            let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
            let index = try #require(alphabet.firstIndex { $0 == token.last })
            return token.dropLast() + String(alphabet[index + 1])
        }
    }

    @Test("a token over 16 KiB is not read, even with a valid signature")
    func oversized() async throws {
        _ = try await verify { try $0.sign(Claims(["org_id": "\"\(String(repeating: "x", count: 10_000))\""])) }
        await expectRefusal(.malformed) { try $0.sign(Claims(["org_id": "\"\(String(repeating: "x", count: 13_000))\""])) }
    }

    @Test(
        "a signed payload without the claims of an id_token is rejected as malformed",
        arguments: [
            "", "[]", "null", "{", #"{"iss":1}"#, Claims(["exp": #""soon""#]).json, Claims(["iat": nil]).json, Claims(["exp": nil]).json,
            Claims(["iss": nil]).json, Claims(["aud": nil]).json, Claims(["aud": #"["com.example.web"]"#]).json, Claims(["sub": "1"]).json,
            Claims(["email": "true"]).json, Claims(["nonce": "1"]).json, Claims(["nbf": #""1""#]).json, Claims(["exp": "true"]).json,
            // A member that occurs twice has two values. Another reader could use the other one.
            Claims(["email": #""a@example.com","email":"b@example.com""#]).json, Claims(["exp": #"1800086400,"\u0065xp":1800086400"#]).json,
        ])
    func malformedPayload(payload: String) async {
        await expectRefusal(.malformed) { try $0.sign(header: #"{"kid":"key-1","alg":"RS256"}"#, payload: payload) }
    }

    @Test(
        "any algorithm except RS256 is rejected, with a valid signature or not",
        arguments: ["none", "None", "HS256", "RS384", "RS512", "PS256", "ES256", "rs256", ""])
    func algorithm(name: String) async {
        await expectRefusal(.algorithm) { try $0.sign(header: #"{"kid":"key-1","alg":"\#(name)"}"#, payload: Claims().json) }
    }

    @Test("an unsigned token is rejected")
    func unsigned() async {
        await expectRefusal(.algorithm) { _ in
            Array(#"{"kid":"key-1","alg":"none"}"#.utf8).base64URL + "." + Array(Claims().json.utf8).base64URL + "."
        }
    }

    @Test("an HMAC made with the public key is rejected")
    func confusedAlgorithm() async {
        await expectRefusal(.algorithm) { key in
            let input = Array(#"{"kid":"key-1","alg":"HS256"}"#.utf8).base64URL + "." + Array(Claims().json.utf8).base64URL
            let code = HMAC<SHA256>.authenticationCode(for: Data(input.utf8), using: SymmetricKey(data: Data(key.jwk.utf8)))
            return input + "." + Array(code).base64URL
        }
    }

    @Test("an unsupported critical header is rejected")
    func criticalHeader() async {
        await expectRefusal(.malformed) {
            try $0.sign(header: #"{"kid":"key-1","alg":"RS256","crit":["exp"],"exp":1}"#, payload: Claims().json)
        }
    }

    @Test("a key that Apple does not publish is rejected, even if it is the token's only mistake")
    func unknownKey() async {
        await expectRefusal(.unknownKey) { try $0.sign(header: #"{"kid":"key-2","alg":"RS256"}"#, payload: Claims().json) }
        await expectRefusal(.unknownKey) { try $0.sign(header: #"{"kid":"","alg":"RS256"}"#, payload: Claims().json) }
        await expectRefusal(.unknownKey) { try $0.sign(header: #"{"alg":"RS256"}"#, payload: Claims().json) }
    }

    @Test("a signature by another key under a published name is rejected")
    func otherKey() async throws {
        let other = try await SigningKey.make("key-1", pem: TestKeys.rsa2)
        await expectRefusal(.signature) { _ in try other.sign(Claims()) }
    }

    @Test("a token changed after signing, or without its signature, is rejected")
    func changed() async {
        await expectRefusal(.signature) { key in
            let (good, other) = (try key.sign(Claims()), try key.sign(Claims(["sub": #""someone.else""#])))
            let (parts, otherParts) = (good.split(separator: "."), other.split(separator: "."))
            return [parts[0], otherParts[1], parts[2]].joined(separator: ".")
        }
        await expectRefusal(.signature) { key in
            let parts = try key.sign(Claims()).split(separator: ".")
            return "\(parts[0]).\(parts[1])."
        }
    }

    // MARK: Claims

    @Test("both of Apple's issuers are accepted", arguments: ["https://appleid.apple.com", "https://account.apple.com"])
    func issuers(issuer: String) async throws {
        let token = try await verify { try $0.sign(Claims(["iss": "\"\(issuer)\""])) }
        #expect(token.issuer == issuer)
    }

    @Test(
        "any other issuer is rejected",
        arguments: ["https://appleid.apple.com/", "http://appleid.apple.com", "https://evil.example", "", "HTTPS://APPLEID.APPLE.COM"])
    func otherIssuer(issuer: String) async {
        await expectRefusal(.issuer) { try $0.sign(Claims(["iss": "\"\(issuer)\""])) }
    }

    @Test("any of the connection's client IDs is accepted as the audience, and another tenant's is rejected")
    func audience() async throws {
        let audiences: Set = ["com.example.app", Claims.audience]
        let token = try await verify(audiences: audiences) { try $0.sign(Claims(["aud": #""com.example.app""#])) }
        #expect(token.audience == "com.example.app")
        await expectRefusal(.audience, audiences: audiences) { try $0.sign(Claims(["aud": #""com.other.web""#])) }
        await expectRefusal(.audience, audiences: audiences) { try $0.sign(Claims(["aud": #""COM.EXAMPLE.WEB""#])) }
        await expectRefusal(.audience, audiences: []) { try $0.sign(Claims()) }
    }

    @Test("a token is accepted until a minute after it expires, and not a second longer")
    func expired() async throws {
        let expiry = Claims.now + 86_400
        _ = try await verify(at: expiry + 59) { try $0.sign(Claims()) }
        await expectRefusal(.expired, at: expiry + 60) { try $0.sign(Claims()) }
    }

    @Test("a token more than a minute from the future is rejected")
    func notYetValid() async throws {
        _ = try await verify(at: Claims.now - 60) { try $0.sign(Claims()) }
        await expectRefusal(.notYetValid, at: Claims.now - 61) { try $0.sign(Claims()) }
        await expectRefusal(.notYetValid) { try $0.sign(Claims(["nbf": "1800000061"])) }
    }

    @Test("a token without a user, or with a very long one, is rejected")
    func subject() async {
        await expectRefusal(.subject) { try $0.sign(Claims(["sub": nil])) }
        await expectRefusal(.subject) { try $0.sign(Claims(["sub": #""""#])) }
        await expectRefusal(.subject) { try $0.sign(Claims(["sub": "\"" + String(repeating: "0", count: 256) + "\""])) }
    }

    // MARK: Nonce

    @Test("a missing nonce is rejected unless Apple reports that it could not store it")
    func nonceMissing() async throws {
        await expectRefusal(.nonceMissing) { try $0.sign(Claims(["nonce": nil])) }
        await expectRefusal(.nonceMissing) { try $0.sign(Claims(["nonce": nil, "nonce_supported": nil])) }
        await expectRefusal(.nonceMissing) { try $0.sign(Claims(["nonce": nil, "nonce_supported": #""true""#])) }
        for unsupported in ["false", #""false""#] {
            let token = try await verify { try $0.sign(Claims(["nonce": nil, "nonce_supported": unsupported])) }
            #expect(token.nonce == nil)
        }
    }

    @Test(
        "another nonce is rejected, whether or not nonces are supported",
        arguments: ["n-7f3b", "", "N-7F3A", "n-7f3a "], ["true", "false"])
    func nonceMismatch(nonce: String, supported: String) async {
        await expectRefusal(.nonceMismatch) { try $0.sign(Claims(["nonce": "\"\(nonce)\"", "nonce_supported": supported])) }
    }

    @Test("the nonce's SHA-256 is accepted only where it is permitted")
    func hashedNonce() async throws {
        // printf n-7f3a | sha256sum
        let hashed = Claims(["nonce": #""0fab97f573f741329afdb31dae4ac81644ce750ccfcbd9b5ada7a82e7bbe4742""#])
        _ = try await verify(form: .exactOrHashed) { try $0.sign(hashed) }
        _ = try await verify(form: .exactOrHashed) { try $0.sign(Claims()) }
        await expectRefusal(.nonceMismatch, form: .exact) { try $0.sign(hashed) }
        await expectRefusal(.nonceMismatch, nonce: "n-7f3b", form: .exactOrHashed) { try $0.sign(hashed) }
    }

    @Test("without a sent nonce, none is required")
    func noNonceSent() async throws {
        _ = try await verify(nonce: nil) { try $0.sign(Claims(["nonce": nil])) }
        _ = try await verify(nonce: nil) { try $0.sign(Claims()) }
    }

    // MARK: Printing

    @Test("neither a token nor a refusal prints any part of it")
    func neverPrints() async throws {
        let token = try await verify { try $0.sign(Claims()) }
        var text = "\(token) \(String(reflecting: token))"
        dump(token, to: &text)
        for refusal in IDTokenRefusal.allCases { text += "\(AppleError.untrusted(refusal))" }
        for content in ["ada@example.com", Claims.subject, Claims.nonce] { #expect(!text.contains(content)) }
    }
}
