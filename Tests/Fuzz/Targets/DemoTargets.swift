@testable import DemoApplication
import Encoding
import Foundation
import Fuzzing
@testable import Signing

/// The demo application's own parsers, which share no code with the server's. Each is compared with a parser of the
/// server.
extension FuzzTarget {
    static let demo: [FuzzTarget] = [
        FuzzTarget(text: "demo-base64url", seeds: ["", "AA", "AB", "AAA", "_-8", "A", "AA==", "A A", "+/", "AA\n", "AAAA=", "Ａ"]) { text in
            let bytes = Data(base64URL: text)
            try hold(bytes.map(Array.init) == [UInt8](base64URL: text), "two decoders differ")
            if let bytes { try hold(bytes.base64URL.isExactly(text), "bytes have two spellings") }
            try hold(Data(base64URL: Data(text.utf8).base64URL) == Data(text.utf8), "the encoded bytes decode differently")
        },
        FuzzTarget(text: "demo-form-encoding", seeds: ["a b+c&d=e%", "ключ\u{0}\r\n", "e\u{301}\u{FEFF}", ""]) { text in
            let form = try Form(formEncoded([("before", "1"), ("name", text), ("after", "2")]))
            try hold((form["name"] ?? "").isExactly(text) && form["before"] == "1" && form["after"] == "2", "it is read differently")
            // As for Basic credentials: no colon except the one between ID and secret.
            try hold(formEncoded(text).isASCII && !formEncoded(text).contains(":"), "\(formEncoded(text)) has a meaning")
        },
        FuzzTarget(
            text: "demo-token-header", upTo: 1024,
            seeds: [
                jws(#"{"alg":"ES256","kid":"key_1"}"#), jws(#"{"alg":"none","kid":""}"#), jws(#"{"alg":"RS256","kid":"k","crit":["exp"]}"#),
                jws(#"{"alg":"ES256","kid":"k"}"#) + "=", jws(#"{"alg":"ES256","kid":"k"}"#) + " ", jws("[]"), "..", "a.b.c.d", "",
            ]
        ) { text in
            guard let header = IDToken.Header(of: text) else { return }
            // The server's reader accepts only its own tokens, and all of them that this reader accepts.
            try hold(text.isOneWord && text.utf8.count { $0 == UInt8(ascii: ".") } == 2, "it does not have three parts")
            let strict = [UInt8](base64URL: String(text.prefix { $0 != "." })).flatMap { try? JSONValue(json: $0) }
            guard case .object(let members)? = strict else { return }
            try hold(members["alg"] == .string(header.alg) && members["kid"] == .string(header.kid), "it is read differently")
            try hold(members["crit"] == nil || members["crit"] == .null, "a critical extension passed")
            guard members["typ"] == .string("JWT"), members["crit"] == nil, text.utf8.count <= 900 else { return }
            try hold(CompactJWS(text, upTo: 900) != nil, "the server would reject it")
        },
        FuzzTarget(
            "demo-id-token-claims", upTo: 1024,
            seeds: [
                #"{"iss":"https://K.test","sub":"user_1","aud":"app_K","exp":1795003600,"nonce":"K"}"#,
                #"{"iss":"https://K.test","sub":"user_1","aud":["app_K","b"],"azp":"app_K","exp":1795003600.5,"nonce":"K"}"#,
                #"{"iss":"https://K.test","sub":"user_1","aud":["app_K","b"],"exp":1e300,"nonce":"K"}"#,
                #"{"iss":"https://\u212a.test","sub":"user_1","aud":"app_K","exp":1795003600,"nonce":"K"}"#,
                #"{"iss":"https://K.test","sub":"user_1","aud":"app_\u212a","exp":1795003600,"nonce":"\u212a"}"#,
                #"{"iss":"https://K.test","sub":"user_1","aud":"app_K","exp":-1e308,"nonce":"K"}"#, #"{"aud":[]}"#, "[]",
                #"{"iss":"https://K.test","sub":"user_1","aud":[],"azp":"app_K","exp":1795003600,"nonce":"K"}"#,
            ]
        ) { bytes in
            guard let claims = try? JSONDecoder().decode(IDToken.Claims.self, from: Data(bytes)),
                claims.fault(issuer: "https://K.test", clientID: "app_K", nonce: "K", subject: nil, at: now) == nil
            else { return }
            try hold(claims.iss.isExactly("https://K.test") && claims.nonce?.isExactly("K") == true, "another issuer or sign-in passed")
            try hold(claims.exp > now.timeIntervalSince1970 - 61, "an old token passed")
            try hold(
                claims.fault(issuer: "https://K.test", clientID: "app_", nonce: "K", subject: nil, at: now) == .audience, "it is anybody's")
            let other = claims.fault(issuer: "https://K.test", clientID: "app_K", nonce: "K", subject: claims.sub + "_", at: now)
            try hold(other == .subject, "it is valid for any person")
            // A repeated member is rejected there, and has one of two meanings here.
            guard case .object(let members)? = try? JSONValue(json: bytes) else { return }
            try hold(members["iss"] == .string(claims.iss) && members["sub"] == .string(claims.sub), "it is read differently")
            let isOwn = members["aud"] == .string("app_K") || members["aud"] == .array([.string("app_K")])
            try hold(isOwn || members["azp"] == .string("app_K"), "a token for others passed")
        },
        FuzzTarget(
            text: "demo-decoded-token", upTo: 1024,
            seeds: [
                jws("{}", #"{"sub":"user_1","n":1e400,"quoted \" : ":"a : b","u":"\u001b\u2028","list":[{"x" : 1}]}"#),
                jws("{}", "[1.0,-0]"),
                jws("", "1"), "opaque", "ert_" + String(repeating: "A", count: 75), "..", "a.b.c", String(repeating: "é", count: 41),
                ".WzEuMCwtMF0.\u{200D}AEAE",
                jws("{}", String(repeating: "[", count: 300)),
            ]
        ) { text in
            let token = DecodedToken(text)
            // Enough to distinguish it from another one, and useless to an attacker.
            try hold(
                token.abridged.count <= 17 && (text.count <= 40 || token.abridged.count < text.count / 2), "\(token.abridged) shows it")
            guard let claims = token.claims else { return }
            let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            try hold(parts.count == 3, "an opaque token has claims")
            let payload = [UInt8](base64URL: String(Substring(parts[1]))).flatMap {
                try? JSONSerialization.jsonObject(with: Data($0)) as? NSObject
            }
            let shown = try? JSONSerialization.jsonObject(with: Data(claims.utf8)) as? NSObject
            try hold(payload != nil && shown == payload, "other claims are shown: \(claims)")
        },
    ]

    private static let now = Date(timeIntervalSince1970: 1_795_000_000)

    private static func jws(_ header: String, _ payload: String = "{}") -> String {
        "\(Data(header.utf8).base64URL).\(Data(payload.utf8).base64URL).AAAA"
    }
}
