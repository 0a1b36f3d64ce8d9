import Encoding
import Foundation
import Fuzzing
import HTTPTypes
import Hummingbird
import NIOCore
import Tenancy
@testable import Web

extension FuzzTarget {
    static let web: [FuzzTarget] = [
        FuzzTarget(
            text: "form",
            seeds: ["a=one+two&b=%C3%A9%2B&c=x%3Dy=z", "a=&b&c=1&&", "%61=1&a=2", "code=1&state=%00%0d%0a&redirect_uri=https%3A%2F%2Fapp"]
        ) { text in
            try hold(Form.decode(Form.encode(text))?.isExactly(text) == true, "the encoded text decodes differently")
            let form = try? Form(text)
            if let form {
                try hold(form.names.count <= 64, "there are \(form.names.count) fields")
                let again = try Form(form.names.map { "\(Form.encode($0))=\(Form.encode(form[$0] ?? ""))" }.joined(separator: "&"))
                try hold(Set(again.names) == Set(form.names), "names got lost")
                try hold(form.names.allSatisfy { form[$0] == again[$0] }, "values got lost")
            }
            // The simulator's reader was written separately and has no limit.
            guard text.isASCII, text.utf8.count(where: { $0 == UInt8(ascii: "&") }) < 60 else { return }
            let other = simulatedForm(text)
            try hold((form == nil) == (other == nil), "one of two parsers refuses it")
            guard let form, let other else { return }
            try hold(Set(form.names) == Set(other.keys), "two parsers read different names")
            try hold(other.allSatisfy { name, value in (form[name] ?? "").isExactly(value) }, "two parsers read different values")
        },
        FuzzTarget(text: "form-fields", seeds: ["a b+c&d=e%", "ключ\u{0}\r\n"]) { text in
            let form = try Form(Form.encode(["before": "1", "name": text, "absent": nil, "after": "2"]))
            try hold((form["name"] ?? "").isExactly(text) && form["absent"] == nil && form["after"] == "2", "it is read differently")
        },
        FuzzTarget("base64url", seeds: ["", "AA", "AB", "AAA", "_-8", "A", "AA==", "A A", "+/"]) { bytes in
            let ours = [UInt8](base64URL: bytes[...])
            let text = String(validating: bytes, as: UTF8.self)
            try hold(ours == text.flatMap { [UInt8](base64URL: $0) }, "two decoders differ")
            if let ours {
                try hold(Array(ours.base64URL.utf8) == bytes, "bytes have two spellings")
                let standard = ours.base64URL.replacing("-", with: "+").replacing("_", with: "/")
                let padding = String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
                try hold(Data(base64Encoded: standard + padding) == Data(ours), "Foundation decodes other bytes")
            }
            try hold([UInt8](base64URL: bytes.base64URL) == bytes, "the encoded bytes decode differently")
        },
        FuzzTarget(
            "json",
            seeds: [
                #"{"a":[1,-2.5e3,true,false,null,"x\n\u00e9\ud83c\udf4e"],"b":{}}"#, #"[[[[[[[[]]]]]]]]"#, #"{"a":1,"\u0061":2}"#, "1e400",
                "-0", "0.1E+2", #""\ud800""#, "9007199254740993", "9223372036854775808",
            ]
        ) { bytes in
            guard let value = try? JSONValue(json: bytes) else { return }
            try hold(
                (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) != nil, "Foundation does not read it")
            let written = try JSONWriter.encode(value)
            let again = try JSONValue(json: written)
            try hold(again.isSame(as: value), "the written value reads back differently")
            let read = try JSONSerialization.jsonObject(with: Data(written), options: .fragmentsAllowed)
            let other = try JSONSerialization.jsonObject(with: try JSONEncoder().encode(value), options: .fragmentsAllowed)
            try hold((read as? NSObject) == (other as? NSObject), "Foundation writes another value")
            try hold(try JSONWriter.encode(again) == written, "the second output has other bytes")
        },
        FuzzTarget(
            text: "json-writer",
            seeds: [
                "a\u{600}\"b\u{600}\\\u{600},\u{600}:", "\u{301}\"\u{301}\\\u{301}{\u{301}}", "\u{200D}\"\u{200D}\\\u{200D}[\u{200D}]",
                "\u{2028}\u{2029}\u{7F}\u{85}", "\u{D7FF}\u{E000}\u{FFFF}\u{10FFFF}\u{1F34E}", #"\ud83c\udf4e \ud800 \u0000"#,
                "\0\u{1}\u{8}\t\n\u{B}\u{C}\r\u{1F} ", "</script>/", "",
            ]
        ) { text in
            struct Written: Codable {
                let first: String
                let second: [String: Int]
                let third: [String?]
            }
            let bytes = try JSONWriter.encode(Written(first: text, second: [text: text.utf8.count], third: [text, nil]))
            try hold(bytes.starts(with: Array(#"{"first":""#.utf8)), "the first member is not first")
            try hold(!bytes.contains { $0 < 0x20 }, "a control character is not escaped")
            let read = try JSONDecoder().decode(Written.self, from: Data(bytes))
            try hold(read.first.isExactly(text) && read.third.first??.isExactly(text) == true, "the decoder reads another text")
            try hold(
                read.second.first.map { $0.key.isExactly(text) && $0.value == text.utf8.count } == true, "the decoder reads another name")
            guard case .object(let members) = try JSONValue(json: bytes), case .string(let first) = members["first"]
            else { return try hold(false, "our reader reads no text") }
            try hold(first.isExactly(text), "our reader reads another text")
        },
        FuzzTarget(
            "json-fields",
            seeds: [
                #"{"slug":"acme","number":7,"flag":true,"at":"2026-11-01T00:00:00Z","list":["a","b"],"kind":"web","object":{"slug":"x"}}"#,
                #"{"slug":"a\u0000","slgu":1,"number":1.5,"list":["a","a"],"pem":"-----BEGIN"}"#, "[]", "{",
            ]
        ) { bytes in
            do {
                var fields = try JSONFields(json: bytes)
                let slug = fields.text("slug", 1...20)
                let number = fields.integer("number", 0...100)
                let list = fields.texts("list", count: 0...3)
                let kinds = fields.choices("kinds", Kind.self)
                let inner = fields.object("object") { $0.text("slug", 1...20) }
                _ = (fields.choice("kind", Kind.self), fields.flag("flag"), fields.time("at"), fields.block("pem", upTo: 100))
                try fields.finish()
                for text in [slug, inner ?? nil].compactMap(\.self) {
                    try hold((1...20).contains(text.unicodeScalars.count), "a text of \(text.unicodeScalars.count) characters passed")
                    try hold(!text.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "a control character passed")
                }
                try hold(number.map { (0...100).contains($0) } ?? true, "a number out of range passed")
                try hold((list ?? []).count <= 3 && Set((list ?? []).map { Array($0.utf8) }).count == (list ?? []).count, "a list passed")
                try hold(Set(kinds ?? []).count == (kinds ?? []).count, "a choice passed twice")
            } catch let problem as Problem {
                try hold(problem.fields.count <= 20, "\(problem.fields.count) mistakes are reported")
            }
        },
        FuzzTarget(
            text: "query",
            seeds: ["limit=5&after=AAAAAAAAAAAAAAAAAAAAAA", "since=2026-11-01T00:00:00+01:00", "flag=true&kind=web", "limit=05", "x=%00"]
        ) { text in
            guard let query = try? Query(text, ["limit", "after", "before", "since", "flag", "kind", "x"]) else { return }
            if let page = try? query.page { try hold((1...100).contains(page.limit), "a page of \(page.limit) passed") }
            _ = (try? query.time("since"), try? query.flag("flag"), try? query.choice("kind", Kind.self))
            if let x = try? query.text("x") { try hold(!x.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "a control character passed") }
        },
        FuzzTarget(
            text: "forwarded-for",
            seeds: [
                "0192.0.2.1", "1192.0.2.1, 198.51.100.7:4711", "2[2001:db8::1]:443,\n10.0.0.1", "1fe80::1%eth0", "1::ffff:192.0.2.1",
                "11.2.3.4:\u{600}, 203.0.113.9", "11.2.3.4\u{301},\u{200D}203.0.113.9",
            ]
        ) { text in
            let proxies = Int(text.utf8.first ?? 0) % 4
            let lines = text.utf8.dropFirst().split(separator: 0x0A, omittingEmptySubsequences: false).map {
                String(decoding: $0, as: UTF8.self)
            }
            guard let address = ForwardedFor.address(in: lines, behind: proxies) else { return }
            try hold(address.isOneWord, "\(address.debugDescription) is not an address")
            try hold(ForwardedFor.address(in: [address], behind: 1) == address, "\(address) has another spelling")
            // The caller may have invented the text before the proxies.
            let invented = ForwardedFor.address(in: ["203.0.113.9, 203.0.113.10"] + lines, behind: proxies)
            try hold(invented == address, "an invented address changes \(address) to \(invented ?? "none")")
            // The end of the caller's text does not matter either.
            let swallowing = ForwardedFor.address(in: ["203.0.113.9\u{600}"] + lines, behind: proxies)
            try hold(swallowing == address, "an invented address changes \(address) to \(swallowing ?? "none")")
        },
        FuzzTarget(
            text: "if-match",
            seeds: [#""8tc9k""#, "*", #"W/"8tc9k", "x""#, #" "8tc9k" ,"#, "*, *", "*,", "zz\u{600}, \"8tc9k\"", "*\u{301}"]
        ) { text in
            guard HTTPField.isValidValue(text) else { return }
            let tag = EntityTag(Date(timeIntervalSinceReferenceDate: 13.999952))
            let passed = (try? header(.ifMatch, text).requireMatch(tag, isRequired: true)) != nil
            // Empty elements of a list are ignored (RFC 9110, section 5.6.1).
            let isAny = text.listElements.count == 1 && text.listElements.has("*")
            try hold(!passed || isAny || Array(text.utf8).firstRange(of: Array(tag.text.utf8)) != nil, "another version passed")
        },
        FuzzTarget(
            text: "bearer-token",
            seeds: ["Bearer abc", "bearer  abc ", "Basic abc", "Bearer", "Bearer a b", "Bearer\u{301} a", "Bearer \u{600}a"]
        ) { text in
            guard HTTPField.isValidValue(text), let token = bearerToken(header(.authorization, text)) else { return }
            try hold(Array(text.utf8).firstRange(of: Array(token.utf8)) != nil, "the token differs from the sent token")
        },
        FuzzTarget(
            text: "media-type",
            seeds: [
                "application/json", "Application/JSON ; charset=utf-8", ";", "application/x-www-form-urlencoded;a=b", "\u{212A}/k", "",
                "application/json\u{600};x", "application/json;\u{301}",
            ]
        ) { text in
            guard HTTPField.isValidValue(text), let type = header(.contentType, text).mediaType else { return }
            try hold(!type.utf8.contains(UInt8(ascii: ";")), "\(type) has a parameter")
            try hold(header(.contentType, type).mediaType?.isExactly(type) == true, "\(type) has another spelling")
            // In any case, only ASCII is accepted as our values.
            guard type.isExactly("application/json") else { return }
            try hold(text.utf8.prefix { $0 != UInt8(ascii: ";") }.allSatisfy { $0 < 0x80 }, "\(text) is treated as JSON")
        },
        FuzzTarget(
            text: "accept",
            seeds: ["text/html,application/xhtml+xml;q=0.9,*/*;q=0.8", "a\u{600},text/html;q=0", "\u{301},TEXT/HTML", "text/html\u{200D}"]
        ) { text in
            guard HTTPField.isValidValue(text), header(.accept, text).acceptsHTML else { return }
            try hold(
                text.asciiLowercased.utf8.count >= 9 && Array(text.asciiLowercased.utf8).firstRange(of: Array("text/html".utf8)) != nil,
                "\(text) requests HTML")
        },
        // An HTML parser reads exactly the text: the references below and no markup byte.
        FuzzTarget(
            text: "html-text", seeds: ["a\u{600}<\u{301}\u{600}\"\u{200D}>&'\r\n", "&amp;&#39;", "\u{1F1E6}<\u{1161}>", "\0"]
        ) { text in
            var rest = Array(text.escapedForHTML.utf8)[...]
            for byte in text.utf8 {
                let written: [UInt8] =
                    switch byte {
                    case UInt8(ascii: "<"): Array("&lt;".utf8)
                    case UInt8(ascii: ">"): Array("&gt;".utf8)
                    case UInt8(ascii: "&"): Array("&amp;".utf8)
                    case UInt8(ascii: "\""): Array("&quot;".utf8)
                    case UInt8(ascii: "'"): Array("&#39;".utf8)
                    case 0x0D: Array("&#13;".utf8)
                    case 0: Array("\u{FFFD}".utf8)
                    default: [byte]
                    }
                try hold(rest.starts(with: written), "byte \(byte) is written differently")
                rest = rest.dropFirst(written.count)
            }
            try hold(rest.isEmpty, "there is text after its end")
        },
        FuzzTarget(
            text: "rfc3339",
            seeds: [
                "2026-11-01T00:00:00Z", "2026-11-01t23:59:59.123456789+14:00", "2024-02-29T00:00:00-00:00", "2026-02-30T00:00:00Z",
                "2026-11-01T00:00:00.１Z", "0000-01-01T00:00:00Z",
            ]
        ) { text in
            guard let date = RFC3339.date(text) else { return }
            try hold(text.isASCII && text.utf8.count <= 35, "\(text) passed")
            try hold(date.timeIntervalSince1970.isFinite, "it is not a time")
        },
        FuzzTarget(
            text: "trace-and-request-id",
            seeds: ["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "req_1", "a b", ""]
        ) { text in
            if Edge.isTraceParent(text) { try hold(text.isOneWord && text.utf8.count == 55, "\(text) passed") }
            let id = Edge.requestID(from: text)
            try hold(id.isOneWord && id.utf8.count <= 128, "\(id) passed")
        },
        FuzzTarget(text: "cursor", seeds: ["AAAAAAAAAAAAAAAAAAAAAA", "GTGUb1xqf2SyxuzjCAKbBg", "AAAAAAAAAAAAAAAAAAAAAB"]) { text in
            guard let id = PageRequest.id(fromCursor: text) else { return }
            // The last character has four unused bits, which may have any value.
            try hold(PageRequest.cursor(id).dropLast() == text.dropLast(), "\(text) is read as another cursor")
            try hold(PageRequest.id(fromCursor: PageRequest.cursor(id)) == id, "the written cursor reads back differently")
        },
        FuzzTarget(
            text: "host",
            seeds: [
                "login.test:8080", "[::1]:443", "[2001:db8::1]", "https://a_b.example:1/x?y#z", "http://a%00b/", "a:b:c", "[", "]:",
                "a\u{600}:1",
            ]
        ) { text in
            let host = HostName.inURL(text) ?? text
            guard HostName.isHostWithPort(host) else { return try hold(!HostName.isHost(host), "a host without a port is refused") }
            let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.:[]".utf8)
            try hold(host.utf8.allSatisfy(allowed.contains), "it has a byte that no host has")
            if HostName.isHost(host) { try hold(HostName.inURL("https://\(host):8080/x") == host, "another host is read from a URL") }
        },
    ]

    private enum Kind: String, CaseIterable {
        case web, native
    }

    /// A request with one header.
    static func header(_ name: HTTPField.Name, _ value: String) -> Request {
        var head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/")
        head.headerFields[name] = value
        return Request(head: head, body: RequestBody(buffer: ByteBuffer()))
    }
}

extension JSONValue {
    /// Equal, except that a number over 2^53 may be written as a whole number and read as one.
    fileprivate func isSame(as other: JSONValue) -> Bool {
        switch (self, other) {
        case (.integer(let a), .number(let b)), (.number(let b), .integer(let a)): Double(a) == b
        case (.array(let a), .array(let b)): a.count == b.count && zip(a, b).allSatisfy { $0.isSame(as: $1) }
        case (.object(let a), .object(let b)): a.count == b.count && a.allSatisfy { name, value in b[name]?.isSame(as: value) == true }
        default: self == other
        }
    }
}
