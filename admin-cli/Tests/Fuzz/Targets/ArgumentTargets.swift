import Foundation
import Fuzzing

@testable import espalierctl

/// Fuzz targets for the text of the command line and of answers to prompts.
extension FuzzTarget {
    static let arguments: [FuzzTarget] = [
        FuzzTarget(
            text: "cli-span",
            seeds: [
                "90s", "15m", "24h", "30d", "0", "999999999d", "1000000000", "-1", "１２h", "007m", "1 h", "5\u{301}", "5\u{600}h",
                "\u{200D}5h", "h", "1H",
            ]
        ) { text in
            guard let span = Span(argument: text) else { return try hold(!isPlainSpan(text), "\(text) was rejected") }
            try hold(isPlainSpan(text), "\(text.debugDescription) passed")
            try hold(
                Span(argument: "\(span.seconds)s")?.seconds == span.seconds || span.seconds > 999_999_999, "the value in seconds differs")
            try hold(
                Span(argument: span.defaultValueDescription)?.seconds == span.seconds || span.seconds > 999_999_999,
                "the default value in the help differs"
            )
            guard case .span(let limit)? = Limit(argument: text) else { return try hold(false, "the limit was rejected") }
            try hold(limit.seconds == span.seconds, "the value of the limit differs")
        },
        FuzzTarget(
            text: "cli-instant",
            seeds: [
                "2026-11-01", "2026-11-01T00:00:00Z", "2024-02-29T23:59:59+14:00", "2026-02-30", "2026-02-30T00:00:00Z", "2026-13-01",
                "２０２６-11-01", "2026-11-01T24:00:00Z", "2026-11-01T00:00:60Z", "0000-01-01", "2026-11-01T00:00:00.5Z",
                "2026-11-01 00:00:00Z",
                "2026-11-01T00:00:00ZZ", "20261101T000000Z", "9999-12-31T23:59:59-12:00",
            ]
        ) { text in
            guard let instant = Instant(argument: text) else { return }
            // The parser adds nothing, and does not read one day as another.
            try hold(text.isASCII && text.utf8.count >= 10, "\(text) passed")
            try hold(isRFC3339(instant.text), "\(text) becomes \(instant.text)")
            try hold(Instant(argument: instant.text)?.text == instant.text, "\(instant.text) changes when it is parsed again")
            if text.utf8.count == 10 { try hold(instant.text == "\(text)T00:00:00Z", "\(text) becomes \(instant.text)") }
            if text.utf8.count == 20, text.hasSuffix("Z") { try hold(instant.text == text.uppercased(), "\(text) becomes \(instant.text)") }
        },
        FuzzTarget(
            text: "cli-amount",
            seeds: ["49", "0.005", "0.000001", "9999999999.999999", "0.0000001", "1e3", "-1", "+1", ".5", "1.", "１", "1,5", "00.10"]
        ) { text in
            guard let amount = Micros(argument: text) else { return }
            try hold(text.isASCII && !text.isEmpty && text.utf8.count <= 17, "\(text) passed")
            try hold(amount.count >= 0 && Micros(argument: amount.text) == amount, "\(amount.text) changes when it is parsed again")
            try hold(Decimal(string: text) == Decimal(amount.count) / 1_000_000, "\(text) becomes \(amount.text)")
        },
        FuzzTarget(
            text: "cli-price-tier",
            seeds: ["100000:0.005", "0.004", "0:1", ":1", "1:", "1:1:1", "-1:1", "9999999999:1", "１:1", "1\u{600}:1", "1:\u{301}1"]
        ) {
            text in
            guard let tier = PriceTier(argument: text) else { return }
            try hold(tier.upTo.map { $0 > 0 } ?? true, "a tier ends before it starts")
            let written = (tier.upTo.map { "\($0):" } ?? "") + tier.unitPrice.text
            try hold(PriceTier(argument: written)?.json == tier.json, "\(written) changes when it is parsed again")
        },
        FuzzTarget(
            text: "cli-jq",
            seeds: [
                ".data[].id", ".", ".data[0] | length", #".["a b"] | keys"#, #"select(.a.b == "x") | .c"#, "select(.n >= -1.5e3)", ".[-1]",
                "..", ".a\u{600}|.b", #".["\u00e9"]"#, "select(.a==null)", ".[9223372036854775808]", #"."\"#, "select(. != true)",
            ]
        ) { text in
            guard let filter = JQ(argument: text) else { return }
            try hold(!text.isEmpty && text.utf8.first != UInt8(ascii: "|"), "\(text) passed")
            let value = JSON.object(["a": .array([.integer(1), .string("x"), .null]), "data": .object(["id": .bool(true)])])
            for value in [value, .null, .string("x"), .array([value])] { _ = try? filter.results(for: value) }
        },
        FuzzTarget(
            text: "cli-relative-time",
            seeds: [
                "2026-11-21T08:00:00Z", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z", "2026-02-30T08:00:00Z", "",
                "2026-11-21T08:00:00\u{600}Z", "2026-11-21T24:00:00Z",
            ]
        ) { text in
            guard let relative = RelativeTime(text, now: Date(timeIntervalSince1970: 1_795_000_000)) else { return }
            try hold(text.isASCII && text.hasSuffix("Z"), "\(text) passed")
            try hold(relative.text.utf8.count <= RelativeTime.width, "\(relative.text) is too long")
        },
        FuzzTarget(
            text: "cli-reference",
            seeds: ["acme", "tenant_01ab3d1v3q0000000000000000", "", "a/b", "..", "\u{212A}", "a\u{600}/b", "a/\u{301}b", "a%2Fb", "a?b"]
        ) {
            text in
            guard let reference = Reference(argument: text) else { return }
            try hold(reference.text.isExactly(text), "the reference differs from the text")
            try hold(text.inQuery == text, "\(text) contains a reserved character of a URL")
            try hold(URL(string: "https://id.test/v1/tenants/\(text)")?.lastPathComponent == text, "\(text) is not a part of a path")
        },
        FuzzTarget(
            text: "cli-query-value", seeds: ["a b+c&d=e%#?/", "2026-11-01T00:00:00+01:00", "é\u{0}\r\n", "\u{1F34E}", "", "e\u{301}"]
        ) {
            text in
            try hold(
                text.inQuery.isASCII && !text.inQuery.contains { "&=#+ ?/".contains($0) }, "\(text.inQuery) contains a reserved character")
            try hold(decoded(text.inQuery) == Array(text.utf8), "the text changes when it is encoded and decoded")
            let call = Call.get("tenants", ["before": "1", "name": text, "absent": nil, "after": "2"])
            try hold(call.target.isExactly("v1/tenants?before=1&name=\(text.inQuery)&after=2"), "the target is \(call.target)")
            try hold(URL(string: "https://id.test/\(call.target)") != nil, "\(call.target) is not an address")
        },
        FuzzTarget(text: "cli-choice", seeds: ["1", "3", "own", "0", "4", "-9223372036854775808", "+1", "01", "１", "9223372036854775808"]) {
            text in
            let words = ["own", "shared", "2nd"]
            guard let index = Prompt.index(text, words) else {
                return try hold(
                    !words.contains { text.isExactly($0) } && !["1", "2", "3"].contains { text.isExactly($0) }, "\(text) was rejected")
            }
            try hold(words.indices.contains(index), "there is no choice \(index)")
            try hold(text.isExactly(words[index]) || Int(text) == index + 1, "\(text) was read as \(words[index])")
        },
        FuzzTarget(
            text: "cli-apple-key-name",
            seeds: [
                "AuthKey_A1B2C3D4E5.p8", "keys/AuthKey_A1B2C3D4E5 (1).p8", "AuthKey_A1B2C3D4E5(12).p8", "/", "", "AuthKey_a1b2c3d4e5.p8",
                "AuthKey_A1B2C3D4\u{212A}5.p8", "AuthKey_A1B2C3D4E5.p8\n", "AuthKey_A1B2C3D4E5 (１).p8",
            ]
        ) { text in
            guard let id = AppleKeyFile.keyID(inName: text) else { return }
            try hold(isKeyID(id) && text.contains("AuthKey_\(id)"), "\(id) is not a Key ID in \(text)")
            try hold(AppleKeyFile.keyID(inName: "AuthKey_\(id).p8") == id, "the Key ID changes when it is parsed again")
        },
        FuzzTarget(
            text: "cli-apple-key-file", upTo: 1024,
            seeds: [
                "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "-----BEGIN EC PRIVATE KEY-----",
                "-----BEGIN PUBLIC KEY-----",
                "-----BEGIN -----", "AuthKey_A1B2C3D4E5", "-----BEGIN PRIVATE KEY-----A1B2C3D4\u{212A}5",
            ]
        ) { text in
            // The last characters serve as the Key ID of the option.
            for (name, keyID) in [("AuthKey_A1B2C3D4E5.p8", nil), ("-", String(text.suffix(10))), ("-", nil)] {
                let file: AppleKeyFile
                do throws(Failure) { file = try AppleKeyFile(text, name, keyID: keyID) } catch {
                    try hold(text.utf8.count < 40 || !shows(error, text), "the error shows the file")
                    continue
                }
                try hold(isKeyID(file.keyID), "\(file.keyID) is not a Key ID")
                try hold(file.privateKey.isExactly(text), "the sent key differs from the file")
                let isPrivate = ["PRIVATE", "EC PRIVATE"].contains { text.contains("-----BEGIN \($0) KEY-----") }
                try hold(isPrivate, "a file without a private key was accepted")
            }
        },
    ]

    /// Whether an error contains the bytes of a text. Foundation's own search ignores zeros.
    static func shows(_ error: Failure, _ text: String) -> Bool {
        Array("\(error)".utf8).firstRange(of: Array(text.utf8)) != nil
    }

    /// Decodes percent codes (RFC 3986, section 2.1). Foundation's own function removes a byte order mark.
    private static func decoded(_ text: String) -> [UInt8]? {
        let parts = text.split(separator: "%", omittingEmptySubsequences: false)
        return parts.dropFirst().reduce(Array(parts[0].utf8) as [UInt8]?) { bytes, part in
            guard let bytes, part.utf8.count >= 2, let byte = UInt8(part.prefix(2), radix: 16) else { return nil }
            return bytes + [byte] + Array(part.dropFirst(2).utf8)
        }
    }

    /// Whether a text is a duration. This check is independent of the parser.
    private static func isPlainSpan(_ text: String) -> Bool {
        var bytes = Array(text.utf8)
        if let last = bytes.last, Array("smhd".utf8).contains(last) { bytes.removeLast() }
        return (1...9).contains(bytes.count) && bytes.allSatisfy { (0x30...0x39).contains($0) }
    }

    private static func isKeyID(_ text: String) -> Bool {
        text.utf8.count == 10 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
    }

    /// Whether a text is a time in whole seconds and UTC, which the server accepts.
    private static func isRFC3339(_ text: String) -> Bool {
        let form = Array("0000-00-00T00:00:00Z".utf8)
        return text.utf8.count == form.count
            && zip(text.utf8, form).allSatisfy { $1 == 0x30 ? (0x30...0x39).contains($0) : $0 == $1 }
    }
}
