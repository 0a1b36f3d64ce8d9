@testable import Apple
import Crypto
import Encoding
import Foundation
import Fuzzing
import Web

extension FuzzTarget {
    private static let pem: String = {
        // Any 32 bytes whose number is below the curve's order.
        guard let key = try? P256.Signing.PrivateKey(rawRepresentation: [UInt8](1...32)) else { return "" }
        return key.pemRepresentation
    }()

    static let apple: [FuzzTarget] = [
        FuzzTarget(
            text: "apple-jws",
            seeds: [
                "eyJhbGciOiJSUzI1NiIsImtpZCI6ImsifQ.e30.AAAA", "eyJhbGciOiJub25lIn0.e30.", "..", "eyJhbGciOiJSUzI1NiIsImtpZCI6ImsifQ.e30",
                "eyJhbGciOiJSUzI1NiIsImNyaXQiOlsiZXhwIl0sImtpZCI6ImsifQ.e30.AAAA",
            ]
        ) { text in
            guard (try? AppleJWS(text)) != nil else { return }
            try hold(text.utf8.count <= AppleJWS.longest, "it is too long")
            try hold(text.utf8.count(where: { $0 == UInt8(ascii: ".") }) >= 2, "it does not have three parts")
        },
        FuzzTarget(
            "apple-id-token",
            seeds: [
                #"{"iss":"i","aud":"a","sub":"s","iat":1795000000,"exp":1795003600,"nonce":"n","email":"a@b.c","email_verified":"true"}"#,
                #"{"iss":"i","aud":"a","sub":"\u0000","iat":-1e300,"exp":1e300,"auth_time":1e308,"nbf":0,"real_user_status":2}"#,
                #"{"iss":"i","aud":["a"],"iat":1,"exp":2}"#,
            ]
        ) { bytes in
            guard let token = try? IDToken(payload: bytes) else { return }
            let now = Date(timeIntervalSince1970: 1_795_000_000)
            guard (try? token.check(issuers: ["i"], audiences: ["a"], at: now)) != nil else { return }
            try hold(token.issuer == "i" && token.audience == "a" && !token.subject.isEmpty, "it is for another client")
            try hold(token.expiresAt > now - 61, "an old token passed")
            try hold(!(token.subject + (token.email ?? "")).utf8.contains { $0 < 0x20 || $0 == 0x7F }, "a control character passed")
            if (try? token.check(nonce: "n", form: .exact)) != nil {
                try hold(token.nonce == "n" || token.nonce == nil && token.nonceSupported == false, "another nonce passed")
            }
        },
        FuzzTarget(
            "apple-notification", upTo: 1024,
            seeds: [
                #"{"iss":"i","aud":"a","jti":"j","iat":1795000000,"events":"{\"type\":\"consent-revoked\",\"sub\":\"s\",\"event_time\":1794999999123}"}"#,
                #"{"iss":"i","aud":"a","jti":"j","iat":1795000000,"events":{"type":"account-delete","sub":"s","event_time":1794999999}}"#,
                #"{"iss":"i","aud":"a","jti":"\u0000","iat":-1e300,"events":{"type":"a b","sub":"\u0000","event_time":1e308}}"#,
                #"{"iss":"i","aud":"a","jti":"j","iat":1795000000,"events":{"type":"email-disabled","email":"a\u0007@b.c","event_time":"x"}}"#,
                #"{"iss":"i","aud":"a","jti":"j","iat":1795000000,"events":"{"}"#,
            ]
        ) { bytes in
            guard let notification = try? AppleNotification(payload: bytes) else { return }
            let event = notification.event
            try hold(event.type.isOneWord && event.type.utf8.count <= 100, "\(event.type.debugDescription) is shown as a type")
            try hold(event.kind.map { $0.rawValue == event.type } ?? true, "a known type has another name")
            try hold(event.occurredAt <= notification.issuedAt + 1, "it occurs later than its report")
            let texts = [event.subject, event.email].compactMap(\.self)
            try hold(texts.allSatisfy { (1...320).contains($0.utf8.count) }, "a text of another length passed")
            try hold(!texts.contains { $0.utf8.contains { $0 < 0x20 || $0 == 0x7F } }, "a control character passed")
            let stored = "eyJhbGciOiJSUzI1NiIsImtpZCI6ImsifQ.\(bytes.base64URL).AAAA"
            try hold(try AppleNotification(stored: stored) == notification, "the stored notification reads back differently")
            let now = Date(timeIntervalSince1970: 1_795_000_000)
            guard (try? notification.check(issuers: ["i"], at: now)) != nil else { return }
            try hold(notification.issuer == "i" && !notification.id.isEmpty, "it belongs to another client")
            try hold((now - AppleNotification.longestAge...now + 61).contains(notification.issuedAt), "another time passed")
        },
        FuzzTarget(
            "apple-user", upTo: 2048,
            seeds: [
                #"{"name":{"firstName":"Ada","lastName":"Lovelace"},"email":"x@y.z"}"#,
                #"{"name":{"firstName":1,"lastName":"L\u202e\u0000"}}"#,
                #"{"name":{"firstName":"e\u0301\u0301 \u00a0x"}}"#, #"{"name":{"firstName":"\ud83d\udc68\u200d\ud83d\udc69"}}"#, "{}", "[]",
            ]
        ) { bytes in
            guard let field = String(validating: bytes, as: UTF8.self), let user = AppleUser(field: field) else { return }
            for name in [user.givenName, user.familyName].compactMap(\.self) {
                try hold(!name.isEmpty && name.count <= AppleUser.longestName, "a name of \(name.count) characters")
                try hold(name.unicodeScalars.count <= AppleUser.mostScalars, "a name of \(name.unicodeScalars.count) scalars")
                try hold(!name.unicodeScalars.contains { $0.properties.generalCategory == .control }, "a control character passed")
                let again = AppleUser(field: String(decoding: try JSONEncoder().encode(["name": ["firstName": name]]), as: UTF8.self))
                try hold(again?.givenName?.isExactly(name) == true, "a second cleaning changes the name")
            }
        },
        FuzzTarget(
            text: "apple-private-key",
            seeds: [
                pem, pem.replacing("\n", with: "\r\n"), "Bag Attributes\n" + pem, "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----",
                "-----BEGIN -----", "-----END PRIVATE KEY-----\n-----BEGIN PRIVATE KEY-----", "-----BEGIN RSA PRIVATE KEY-----",
            ]
        ) { text in
            guard let key = try? ApplePrivateKey(pem: text) else { return }
            let again = try ApplePrivateKey(pem: key.signing.pemRepresentation)
            try hold(again.fingerprint == key.fingerprint, "the written key reads back differently")
            try hold(!"\(key)".contains(key.signing.pemRepresentation), "it prints")
        },
        FuzzTarget(
            text: "http-date", seeds: ["Sat, 21 Nov 2026 15:43:22 GMT", "Sat, 31 Feb 2026 15:43:22 GMT", "Sat, 21 Nov ２026 15:43:22 GMT"]
        ) { text in
            guard let date = AppleProbe.date(text) else { return }
            try hold(text.isASCII && text.utf8.count == 29, "\(text) passed")
            try hold(date.timeIntervalSince1970.isFinite, "it is not a time")
        },
        FuzzTarget(
            "apple-key-set", upTo: 1024,
            seeds: [
                #"{"keys":[{"kty":"RSA","kid":"k","use":"sig","alg":"RS256","n":"\#(modulus)","e":"AQAB"},{"kty":"EC","kid":"x"}]}"#,
                #"{"keys":[{"kty":"RSA","kid":"k","n":"\#(modulus)","e":"AQAB"},{"kty":"RSA","kid":"","n":"AQAB","e":"AQAB"},1,null,[]]}"#,
                #"{"keys":[{"kty":"RSA","kid":"k","use":"enc","n":"\#(modulus)","e":""}]}"#, #"{"keys":{}}"#, #"{"keys":[]}"#, "[]",
            ]
        ) { bytes in
            guard let keys = try? AppleKeySet.published(bytes) else { return }
            try hold(keys.allSatisfy { !$0.id.isEmpty }, "a key without a name passed")
            // A repeated member is rejected there, and has one of two meanings here.
            guard case .object(let set)? = try? JSONValue(json: bytes), case .array(let all)? = set["keys"] else { return }
            for key in keys {
                let isThere = all.contains { one in
                    guard case .object(let fields) = one, fields["kid"] == .string(key.id), fields["kty"] == .string("RSA") else {
                        return false
                    }
                    return [nil, .null, .string("sig")].contains(fields["use"]) && [nil, .null, .string("RS256")].contains(fields["alg"])
                }
                try hold(isThere, "\(key.id) is not a key that verifies")
            }
        },
        FuzzTarget(
            "apple-migrated-user",
            seeds: [
                #"{"sub":"001234.abc","email":"x@privaterelay.appleid.com","is_private_email":"true"}"#, #"{"sub":"a b"}"#,
                #"{"sub":"s","email":"ada@example.com"}"#, #"{"sub":"s","email":"x\u0000@PRIVATERELAY.appleid.com"}"#, #"{"sub":""}"#, "[]",
            ]
        ) { bytes in
            guard let user = MigratedUser(answer: Data(bytes)) else { return }
            try hold(
                user.subject.isOneWord && user.subject.utf8.count <= IDToken.longestSubject, "\(user.subject.debugDescription) is a name")
            guard let address = user.relayAddress else { return }
            try hold(address.utf8.count <= 320, "an address of \(address.utf8.count) bytes passed")
            try hold(address.lowercased().hasSuffix("@privaterelay.appleid.com"), "\(address) is not a relay address")
            try hold(address.isOneWord, "\(address.debugDescription) is an address")
        },
    ]

    private static let modulus = [UInt8](repeating: 0xC5, count: 256).base64URL
}
