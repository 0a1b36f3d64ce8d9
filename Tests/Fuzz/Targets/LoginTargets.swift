import Access
import Crypto
@testable import Encoding
import Foundation
import Fuzzing
import HTTPTypes
import Hummingbird
import Sealing
@testable import Sessions
@testable import SignIn
@testable import Signing
import Tenancy
@testable import Web

extension FuzzTarget {
    private static let tenant = ID<Tenant>("tenant_01ab3d1v3q0000000000000000")!
    private static let session = ID<Session>("session_01ab3d1v3q0000000000000001")!
    private static let cookie = AttemptCookie(ID("login_01ab3d1v3q0000000000000002")!, publicURL: "https://login.test")
    private static let refreshToken = RefreshToken(session, generation: 7).text(of: tenant, with: .fuzzed)
    private static let now = Date(timeIntervalSince1970: 1_795_000_000)

    static let login: [FuzzTarget] = [
        FuzzTarget("fields", bytes: [[UInt8](repeating: 0, count: 40), [0, 3, 97, 98, 99, 0, 0, 0, 1, 255], [255, 255, 1]]) { bytes in
            var fields = FieldReader(bytes)
            var written = FieldWriter()
            // The result equals the input: the same bytes, written again.
            while true {
                if let field = try? fields.bytes() { written.write(field) } else { break }
                if let uuid = try? fields.uuid() { written.write(uuid) } else { break }
            }
            try hold(bytes.starts(with: written.bytes), "the result differs from the input")
        },
        // Sealed by us, so that the fields behind the seal are reached.
        FuzzTarget("login-attempt-fields", bytes: [attemptFields, [UInt8](repeating: 0, count: 120)]) { bytes in
            let token = Keyring.fuzzed.sealToken(bytes, purpose: "login_attempt")
            guard let attempt = try? LoginAttempt(opening: token, with: .fuzzed, at: now) else {
                return try hold(bytes != attemptFields, "the seed does not open because a field is missing")
            }
            try hold(now < attempt.startedAt + LoginAttempt.lifetime, "an old attempt opened")
            try hold(attempt.secret(ofBrowserWith: []) == nil, "it is valid for any browser")
            _ = try? LoginAttempt(opening: attempt.sealed(with: .fuzzed), with: .fuzzed, at: now)
        },
        FuzzTarget("authorization-code-fields", bytes: [codeFields, [UInt8](repeating: 0, count: 160)]) { bytes in
            let token = Keyring.fuzzed.sealToken(bytes, purpose: "authorization_code")
            let code = try? AuthorizationCode(
                opening: token, with: .fuzzed, tenant: tenant, application: ID("app_01ab3d1v3q0000000000000003")!,
                redirectURI: "https://app.test/callback", verifier: nil)
            try hold(code != nil || bytes != codeFields, "the seed does not open because a field is missing")
            if let code { try hold(code.codeChallenge == nil, "a code with a challenge opened without a verifier") }
        },
        FuzzTarget(text: "login-attempt", upTo: 5000, seeds: ["AQIDBAUGBwgJ", String(repeating: "A", count: 4097)]) { text in
            try hold((try? LoginAttempt(opening: text, with: .fuzzed, at: now)) == nil, "an attempt without an owner opened")
        },
        FuzzTarget(
            text: "compact-jws", upTo: 1024,
            seeds: [
                jws(
                    #"{"alg":"ES256","kid":"key_1","typ":"at+jwt"}"#,
                    """
                    {"iss":"i","aud":"i","sub":"user_01ab3d1v3q0000000000000004","client_id":"app_01ab3d1v3q0000000000000003","tid":"\(tenant)",\
                    "sid":"\(session)","iat":1,"exp":9223372036854775807,"jti":"j","scope":"openid","user_type":"apple"}
                    """),
                jws(
                    #"{"alg":"RS256","kid":"key_1","typ":"JWT"}"#,
                    #"{"iss":"i","aud":"app_01ab3d1v3q0000000000000003","sid":"\#(session)","exp":1e300}"#),
                jws(#"{"alg":"none","kid":"","typ":"JWT","crit":["exp"]}"#, "{}"), "..", "a.b.c.d", "",
            ]
        ) { text in
            guard let jws = CompactJWS(text, upTo: 900) else { return }
            try hold(text.utf8.count <= 900, "it is too long")
            try hold(text.utf8.count { $0 == UInt8(ascii: ".") } == 2, "it does not have three parts")
            let header = [UInt8](base64URL: String(text.prefix { $0 != "." })).flatMap {
                try? JSONSerialization.jsonObject(with: Data($0)) as? [String: Any]
            }
            try hold(header?["crit"] == nil, "a critical extension passed")
            try hold((header?["alg"] as? String)?.isExactly(jws.algorithm) == true, "Foundation reads another algorithm")
            try hold((header?["kid"] as? String).map { jws.keyID?.isExactly($0) == true } ?? (jws.keyID == nil), "or another key")
            guard case .object(let claims)? = jws.payload.flatMap({ try? JSONValue(json: $0) }),
                AccessToken(claims) != nil || IDTokenHint(claims) != nil
            else { return }
            try hold(text.utf8.allSatisfy { $0 == UInt8(ascii: ".") || $0.isBase64URL }, "\(text) passed")
        },
        FuzzTarget(
            "native-sign-in", upTo: 1024,
            seeds: [
                #"{"id_token":"a.b.c","nonce":"n","code":"c","client_id":"app_1","user":{"name":{"firstName":"Ada"}},"scope":"openid x"}"#,
                #"{"id_token":"a","user":"{\"name\":{\"firstName\":\"Ada\"}}","scope":""}"#,
                #"{"id_token":"a","user":[1],"nonce":"\u0000"}"#,
            ]
        ) { bytes in
            guard var fields = try? JSONFields(json: bytes), let (sent, client) = try? NativeSignIn.read(&fields) else { return }
            try hold(!sent.idToken.isEmpty, "there is no token to verify")
            let texts = [sent.nonce, sent.code, client].compactMap(\.self)
            try hold(!texts.contains { $0.isEmpty || $0.utf8.contains { $0 < 0x20 || $0 == 0x7F } }, "a control character passed")
            try holdScope(sent.scope)
        },
        FuzzTarget(
            text: "token-exchange", upTo: 1024,
            seeds: [
                "subject_token=a.b.c&nonce=n&code=c&scope=openid+email+x&user=%7B%22name%22%3A%7B%22firstName%22%3A%22Ada%22%7D%7D",
                "subject_token=%00&scope=+openid++openid", "nonce=n",
            ]
        ) { text in
            guard let form = try? Form(text), let sent = try? NativeSignIn(form) else { return }
            try hold(form["subject_token"]?.isExactly(sent.idToken) == true, "another token is verified")
            try hold((sent.nonce ?? "").unicodeScalars.count <= NativeSignIn.longestNonce, "a long nonce passed")
            try hold((sent.code ?? "").unicodeScalars.count <= NativeSignIn.longestCode, "a long code passed")
            try holdScope(sent.scope)
        },
        FuzzTarget(
            text: "basic-credentials",
            seeds: [
                "Basic YXBwXzE6c2VjcmV0", "basic  YXBwXzE6", "Basic YSUzQWI6Yys=", "Basic YQ==", "Basic YQ", "Bearer a", "Basic",
                "Basic w7w6",
            ]
        ) { text in
            guard HTTPField.isValidValue(text), let sent = try? header(.authorization, text).basicCredentials() else { return }
            try hold(sent.secret != "", "an empty secret is accepted")
            let pair = "\(Form.encode(sent.id)):\(Form.encode(sent.secret ?? ""))"
            let again = try header(.authorization, "Basic \(Data(pair.utf8).base64EncodedString())").basicCredentials()
            try hold(again?.id.isExactly(sent.id) == true, "the written ID reads back differently")
            try hold((again?.secret ?? "").isExactly(sent.secret ?? ""), "the written secret reads back differently")
        },
        FuzzTarget(
            text: "revocation-cursor",
            seeds: [
                Revocations.Cursor(at: now).text, "g" + String(repeating: "A", count: 42), "f" + String(repeating: "_", count: 42),
                String(repeating: "A", count: 43),
            ]
        ) { text in
            guard let cursor = Revocations.Cursor(text) else { return }
            try hold((0...253_402_300_799).contains(cursor.recordedAt.timeIntervalSince1970), "\(cursor.recordedAt) reaches the database")
            let again = Revocations.Cursor(cursor.text)
            // Times in the far future are not exact to the microsecond.
            try hold(again?.id == cursor.id, "the written cursor reads back differently")
            try hold(again.map { abs($0.recordedAt.timeIntervalSince(cursor.recordedAt)) < 0.001 } ?? false, "it continues elsewhere")
            try hold((again?.resume == nil) == (cursor.resume == nil), "it resumes at another position")
        },
        FuzzTarget(text: "device", seeds: ["Mozilla/5.0 (X11)", "a\u{0}b\u{1B}[31mc\u{e9}", String(repeating: "x", count: 300), "\u{1}"]) {
            text in
            guard let agent = Device(userAgent: text).userAgent else { return }
            try hold((1...Device.longestUserAgent).contains(agent.utf8.count), "\(agent.utf8.count) characters are stored")
            try hold(agent.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }, "a control character passed")
            try hold(Device(userAgent: agent).userAgent == agent, "a second reading differs")
        },
        FuzzTarget(text: "refresh-token", seeds: [refreshToken, "ert_", "ert_" + String(repeating: "A", count: 75)]) { text in
            guard let token = RefreshToken(text, of: tenant, with: .fuzzed) else { return }
            try hold(text.isExactly(refreshToken), "a token that was never issued is accepted: session \(token.session)")
        },
        FuzzTarget(
            text: "attempt-cookie",
            seeds: [
                "\(cookie.name)=secret", "a=b; \(cookie.name)=x=y; c", "; =;\(cookie.name)", "\(cookie.name)=",
                "a=\u{600}; \(cookie.name)=x;\u{301} \(cookie.name)=y",
            ]
        ) { text in
            guard HTTPField.isValidValue(text) else { return }
            let request = header(.cookie, text)
            for value in cookie.values(in: request) {
                try hold(text.utf8.contains("\(cookie.name)=\(value)".utf8), "the value differs from the sent value")
                try hold(!value.utf8.contains(UInt8(ascii: ";")), "the value contains the next cookie")
            }
            let removals = AttemptCookie.removals(
                toMakeRoomFor: [String(repeating: "p", count: 9000)], in: request, publicURL: "https://login.test")
            try hold(removals.allSatisfy { $0.hasPrefix("__Host-espalier-") && HTTPField.isValidValue($0) }, "another cookie is removed")
        },
        FuzzTarget(
            text: "pkce", seeds: ["dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "a~.b", ""]
        ) { text in
            if PKCE.isChallenge(text) { try hold(text.isOneWord && text.utf8.count == 43, "\(text) is accepted as a challenge") }
            let challenge = Array(SHA256.hash(data: Data(text.utf8))).base64URL
            guard PKCE.verify(text, against: challenge) else { return }
            try hold(text.isOneWord && (43...128).contains(text.utf8.count), "\(text) is accepted as a verifier")
            try hold(!PKCE.verify(text, against: String(challenge.dropLast())), "a part of the challenge is accepted")
        },
    ]

    private static func holdScope(_ scope: String) throws {
        let granted = scope.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        try hold(granted.allSatisfy(Scope.supported.contains), "\(scope) is granted")
        try hold(Set(granted).count == granted.count, "\(scope) is granted twice")
    }

    private static func jws(_ header: String, _ payload: String) -> String {
        "\(Array(header.utf8).base64URL).\(Array(payload.utf8).base64URL).AAAA"
    }

    private static var attemptFields: [UInt8] {
        var fields = FieldWriter()
        for _ in 0..<4 { fields.write(tenant.uuid) }
        fields.write("https://app.test/callback")
        fields.write("query")
        fields.write(nil as String?)
        for text in ["nonce", "openid", "challenge", "600", "apple nonce"] { fields.write(text) }
        fields.write([UInt8](repeating: 7, count: 32))
        fields.write(now)
        return fields.bytes
    }

    private static var codeFields: [UInt8] {
        var fields = FieldWriter()
        fields.write(session.uuid)
        fields.write(tenant.uuid)
        fields.write(ID<Tenancy.Application>("app_01ab3d1v3q0000000000000003")!.uuid)
        fields.write(tenant.uuid)
        fields.write("own")
        fields.write(Array(SHA256.hash(data: Data("https://app.test/callback".utf8))))
        for text in [nil, "nonce"] { fields.write(text) }
        fields.write("openid email")
        fields.write(now)
        for text in ["Mozilla/5.0", "192.0.2.1"] { fields.write(text) }
        fields.write(now)
        return fields.bytes
    }
}

extension UInt8 {
    fileprivate var isBase64URL: Bool {
        switch self {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
