import Encoding
import HTTPTypes
import Hummingbird
import NIOCore
import Pages
import Testing

@Suite("Language choice")
struct LanguageChoiceTests {
    /// Characters that Swift joins with the one before or after them.
    static let joining = ["\u{600}", "\u{301}", "\u{200D}"]

    private static func frame(_ path: String, accepting header: [String] = [], brand: Brand? = nil) -> PageFrame {
        var head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: path)
        for value in header { head.headerFields.append(HTTPField(name: .acceptLanguage, value: value)) }
        return PageFrame(Request(head: head, body: RequestBody(buffer: ByteBuffer())), brand, requestID: "req_1")
    }

    @Test("RFC 4647, 3.4: a lookup drops subtags from the end, without regard to case")
    func lookup() {
        for (tag, language) in [
            ("de", Language.german), ("DE-at", .german), ("de-Latn-DE-1996", .german), ("pt-BR", .portuguese), ("en-x-private", .english),
            ("he", .hebrew), ("iw", .hebrew), ("zh", .simplifiedChinese), ("zh-CN", .simplifiedChinese), ("zh-TW", .traditionalChinese),
            ("zh-hk", .traditionalChinese), ("zh-Hant-CN", .traditionalChinese), ("zh-Hans-TW", .simplifiedChinese), ("ar-EG", .arabic),
        ] { #expect(Language(tag: tag) == language, "\(tag)") }
        for tag in [
            "", "-", "*", "de-", "-de", "de--AT", "deu", "d", "x-de", "i-de", "german", "de_AT", "de-ümlaut", "de-abcdefghi", "ｄｅ", "tlh",
        ] {
            #expect(Language(tag: tag) == nil, "\(tag)")
        }
        for language in Language.allCases { #expect(Language(tag: language.rawValue) == language) }
    }

    @Test("RFC 9110, 12.5.4: the highest weight wins, the first of equal ones, and a malformed range counts as absent")
    func weights() {
        for (header, language) in [
            ("de", Language?.some(.german)), ("tlh, de;q=0.5, fr;q=0.9", .french), ("de;q=0.5,fr;q=0.5", .german),
            ("de;q=0, fr;q=0.001", .french), ("de;q=0", nil), ("de ; Q=0.1 , fr", .french), ("de;q=1.000,fr;q=0.999", .german),
            ("de;q=0.,fr;q=0.1", .french), ("*", nil), ("*;q=1, de;q=0.1", .german), ("", nil), (",,,", nil), (", de ,", .german),
            // Not weights of section 12.4.2.
            ("de;q=1.001", nil), ("de;q=2", nil), ("de;q=", nil), ("de;q=.5", nil), ("de;q=0.1234", nil), ("de;q=-1", nil),
            ("de;q=1e0", nil),
            ("de;q=1;q=1", nil), ("de;level=1", nil), ("de;", nil), ("de;q=１", nil), ("de;q =1", nil),
        ] { #expect(Language(acceptLanguage: header) == language, "\(header)") }
    }

    @Test("ui_locales: the first known tag")
    func uiLocales() {
        for (tags, language) in [
            ("de", Language?.some(.german)), ("tlh fr-CA de", .french), ("  de  ", .german), ("", nil), ("tlh", nil), ("de,fr", nil),
            ("*", nil),
        ] { #expect(Language(uiLocales: tags) == language, "\(tags)") }
    }

    @Test("20 tags count, and no more")
    func bound() {
        for (count, language) in [(19, Language?.some(.german)), (20, nil), (100_000, nil)] {
            #expect(Language(acceptLanguage: String(repeating: "tlh,", count: count) + "de") == language, "\(count)")
            #expect(Language(uiLocales: String(repeating: "tlh ", count: count) + "de") == language, "\(count)")
        }
    }

    @Test("a character that joins with a separator neither hides it nor is ignored", arguments: joining)
    func bytes(_ joining: String) {
        for separator in [",", ", "] {
            #expect(Language(acceptLanguage: "tlh\(joining)\(separator)de") == .german)
            #expect(Language(acceptLanguage: "de\(separator)\(joining)tlh") == .german)
            #expect(Language(acceptLanguage: "de,fr\(joining)\(separator)\(joining)it;q=1") == .german)
        }
        #expect(Language(uiLocales: "tlh\(joining) de") == .german)
        #expect(Language(uiLocales: "de \(joining)tlh") == .german)
        for range in [
            "de\(joining)", "\(joining)de", "de\(joining)-AT", "de-\(joining)AT", "de\(joining);q=1", "de;\(joining)q=1",
            "de;q\(joining)=1",
            "de;q=\(joining)1", "de;q=1\(joining)", "de;q=1\(joining).0", "de;q=1.\(joining)0",
        ] {
            #expect(Language(acceptLanguage: range) == nil, "\(range.debugDescription)")
            #expect(Language(acceptLanguage: "\(range),fr;q=0.1") == .french, "\(range.debugDescription)")
            #expect(Language(uiLocales: range) == nil, "\(range.debugDescription)")
        }
    }

    @Test("ui_locales comes before the browser's languages, these before the tenant's, and English is last")
    func order() {
        let brand = Brand(name: "Acme", language: .korean)
        #expect(Self.frame("/a?x=1&ui_locales=tlh+de%20fr", accepting: ["it"], brand: brand).language == .german)
        #expect(Self.frame("/a?ui_locales=tlh", accepting: ["it"], brand: brand).language == .italian)
        #expect(Self.frame("/a", accepting: ["tlh;q=1", "it;q=0.2, pl;q=0.3"], brand: brand).language == .polish)
        #expect(Self.frame("/a", accepting: ["tlh"], brand: brand).language == .korean)
        #expect(Self.frame("/a", accepting: ["tlh"]).language == .english)
        #expect(Self.frame("/a").language == .english)
        // A request that is refused for its query has a page, too.
        for query in ["ui_locales=de&ui_locales=de", "ui_locales=%", "ui_locales", "ui_locales=", "%FF=1&ui_locales=\u{301}"] {
            #expect(Self.frame("/a?\(query)", accepting: ["it"]).language == .italian, "\(query)")
        }
    }
}
