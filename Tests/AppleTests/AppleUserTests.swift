import Apple
import Foundation
import Testing

@Suite("Apple's user field")
struct AppleUserTests {
    private func field(_ first: String, _ last: String = "Lovelace") throws -> String {
        let name = ["firstName": first, "lastName": last]
        return String(decoding: try JSONEncoder().encode(["name": name]), as: UTF8.self)
    }

    @Test("the name that Apple sends once is read, and its email address is never read")
    func reads() throws {
        let user = try #require(AppleUser(field: #"{"name":{"firstName":"Ada","lastName":"Lovelace"},"email":"evil@example.com"}"#))
        #expect(user.givenName == "Ada")
        #expect(user.familyName == "Lovelace")
    }

    @Test(
        "one half of a name is enough",
        arguments: [
            (#"{"name":{"firstName":"Ada"}}"#, "Ada", nil), (#"{"name":{"lastName":"Lovelace"}}"#, nil, "Lovelace"),
            (#"{"name":{"firstName":17,"lastName":"Lovelace"}}"#, nil, "Lovelace"),
            (#"{"name":{"firstName":"Ada","lastName":null}}"#, "Ada", nil),
            (#"{"name":{"firstName":"Ada","lastName":{"a":[]}}}"#, "Ada", nil),
            (#"{"name":{"firstName":"Ada","lastName":" \u0000\u200b"}}"#, "Ada", nil),
        ] as [(String, String?, String?)])
    func half(field: String, given: String?, family: String?) throws {
        let user = try #require(AppleUser(field: field))
        #expect(user.givenName == given)
        #expect(user.familyName == family)
    }

    @Test(
        "a field in another format, or without a name, is not a user",
        arguments: [
            "", " ", "null", "[]", "17", #""Ada""#, "{", "{}", #"{"email":"a@example.com"}"#, #"{"name":null}"#, #"{"name":"Ada"}"#,
            #"{"name":["Ada"]}"#, #"{"name":{}}"#, #"{"name":{"firstName":""}}"#, #"{"name":{"firstName":" \t\n"}}"#,
            #"{"name":{"firstName":"\ud800"}}"#, #"{"name":{"firstName":"Ada"}} trailing"#, "<script>alert(1)</script>",
            "{\"name\":{\"firstName\":\"Ada\u{0}",
            String(repeating: "[", count: 8000), String(repeating: #"{"name":"#, count: 1000),
            #"{"name":{"firstName":"\#(String(repeating: "A", count: 9000))"}}"#,
            #"{"name":{"firstName":"Ada"},"padding":"\#(String(repeating: " ", count: 8192))"}"#,
        ])
    func refuses(field: String) {
        #expect(AppleUser(field: field) == nil)
    }

    @Test(
        "a name is trimmed, its white space collapsed, and invisible and control characters removed",
        arguments: [
            ("  Ada  ", "Ada"), ("Ada\t\n\r King", "Ada King"), ("Ada\u{00A0}\u{3000}King", "Ada King"), ("Ada\u{2028}King", "Ada King"),
            ("A\u{0}d\u{7}a\u{1B}[31m", "Ada[31m"), ("A\u{7F}d\u{9B}a", "Ada"),
            // Bidirectional overrides, isolates and marks.
            ("\u{202E}adA\u{202C}", "adA"), ("\u{2066}Ada\u{2069}\u{200E}\u{200F}\u{061C}", "Ada"),
            // Zero width, soft hyphen, byte-order mark, fillers, variation selectors, tags.
            ("A\u{200B}d\u{200D}a\u{FEFF}\u{00AD}\u{2060}", "Ada"), ("\u{3164}Ada\u{115F}\u{FFA0}", "Ada"),
            ("Ada\u{FE0F}\u{E0101}\u{E0041}", "Ada"),
            // Private use, unassigned, non-characters.
            ("Ada\u{E000}\u{F8FF}\u{10FFFF}\u{FFFE}\u{0378}", "Ada"),
            // Only spaces remain next to the removed characters.
            ("Ada \u{200B} King \u{200B}", "Ada King"),
            // Composed.
            ("Ame\u{301}lie", "Amélie"), ("e\u{200B}\u{301}", "é"),
            // Valid names stay unchanged.
            ("Jean-Luc O’Brien III.", "Jean-Luc O’Brien III."), ("佐藤 花子", "佐藤 花子"), ("נועה", "נועה"), ("محمد", "محمد"),
            ("<b>Ada</b> & \"co\"", "<b>Ada</b> & \"co\""), ("👩 Ada", "👩 Ada"), ("{{name}}", "{{name}}"),
            ("'; DROP TABLE", "'; DROP TABLE"),
        ])
    func cleans(name: String, expected: String) throws {
        let user = try #require(AppleUser(field: try field(name)))
        #expect(user.givenName.map { Array($0.unicodeScalars) } == Array(expected.unicodeScalars))
        #expect(user.familyName == "Lovelace")
    }

    @Test("a long name is cut at 100 characters, and never within a character")
    func cut() throws {
        let exact = String(repeating: "é", count: 100)
        #expect(AppleUser(field: try field(exact))?.givenName == exact)
        #expect(AppleUser(field: try field(exact + "x"))?.givenName == exact)
        #expect(AppleUser(field: try field(String(repeating: "x", count: 99) + " y"))?.givenName == String(repeating: "x", count: 99))
    }

    @Test("a character of thousands of scalars is rejected")
    func stackedMarks() throws {
        let stacked = "a" + String(repeating: "\u{0323}", count: 2000)
        #expect(AppleUser(field: try field("Ada" + stacked))?.givenName == "Ada")
        #expect(AppleUser(field: try field(stacked))?.givenName == nil)
    }

    @Test("a name never prints")
    func neverPrints() throws {
        let user = try #require(AppleUser(field: try field("Ada")))
        var text = "\(user) \(String(reflecting: user)) \([user])"
        dump(user, to: &text)
        #expect(!text.contains("Ada"))
        #expect(!text.contains("Lovelace"))
    }
}
