@testable import Factors
import Foundation
import Fuzzing
import QRCode
import Sealing

extension FuzzTarget {
    static let factors: [FuzzTarget] = [
        FuzzTarget(
            text: "password-hash",
            seeds: [
                "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4", "$argon2id$v=19$m=0,t=,p=1$$", "$",
            ]
        ) { text in
            guard let hash = PasswordHash(Secret(text)) else { return }
            try hold(hash.text.reveal().utf8.elementsEqual(text.utf8), "a hash has two texts")
            try hold(hash.cost.memory <= 256 * 1024 && hash.cost.passes <= 16, "a hash takes too much memory or time")
            try hold("\(hash)" == "<secret>", "it prints")
        },
        FuzzTarget(
            text: "chosen-password", upTo: 1100,
            seeds: [
                "kvqzpmwx", "cafe\u{301} au lait", "12345678", "24.12.1999", "abcabcabc", "anna@example.com",
                "\u{FB01}\u{1112}\u{1161}\u{11AB}",
            ]
        ) { text in
            guard let password = try? Password(chosen: text, address: "anna@example.com") else { return }
            try hold(Password(typed: text)?.bytes == password.bytes, "the password of a sign-in is another one")
            try hold(password.text.inFormC.utf8.elementsEqual(password.text.utf8), "the normal form changes again")
            try hold(password.text.unicodeScalars.count >= Password.leastCharacters, "it is too short")
            try hold(!CommonPasswords.contains(password.bytes), "it is common")
            try hold(!password.text.lowercased().contains("anna"), "it contains the address")
        },
        FuzzTarget(text: "one-time-code", seeds: ["050471", "050 471", " 0 5 0 4 7 1 ", "-50471", "0504\u{301}71"]) { text in
            guard let key = AuthenticatorKey(bytes: Array("12345678901234567890".utf8)) else { return }
            let now = Date(timeIntervalSince1970: 1_111_111_111)
            guard let step = key.step(of: text, after: nil, at: now) else { return }
            let digits = text.utf8.filter { $0 != UInt8(ascii: " ") }
            try hold(key.code(at: step) == digits, "another code is right")
            try hold(key.step(of: text, after: step, at: now) == nil, "it is right twice")
        },
        FuzzTarget(text: "recovery-code", seeds: ["BCDF-GHJK-LMNP", "bcdf ghjk lmnp", "BCDFGHJKLMNP", "BCDF-GHJ\u{212A}-LMNP"]) { text in
            guard let code = RecoveryCode(text) else { return }
            let letters = String(decoding: text.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") }, as: UTF8.self)
            let isSame = code.text.reveal().replacing("-", with: "").utf8.elementsEqual(letters.uppercased().utf8)
            try hold(isSame, "it is read as another code")
        },
        FuzzTarget(
            text: "authenticator-uri", upTo: 300,
            seeds: ["Acme", "A&secret=AAAA", "A:b?c#d", "G\u{E4}rten %41", "\u{1F333}\u{200D}\u{301}"]
        ) { text in
            guard let key = AuthenticatorKey(bytes: Array("12345678901234567890".utf8)) else { return }
            let uri = Array(key.uri(issuer: text, account: text).reveal().utf8)
            try hold(uri.count <= QRCode.mostBytes, "it does not fit into a QR code")
            try hold(uri.allSatisfy { (0x21...0x7E).contains($0) }, "it is not a URI")
            // After `otpauth:`, one colon separates the label, and the query has two parameters.
            let counts = ":?&=".utf8.map { character in uri.count { $0 == character } }
            try hold(counts == [2, 1, 1, 2], "a name adds a part")
        },
    ]
}
