import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import Pages

/// The name of the tenant in the mail with a link.
@Suite("Mail with a link")
struct LinkMailTests {
    private static func mail(of name: String, in language: Language) -> LinkMail {
        let head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/")
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        return LinkMail(
            link: "https://login.test/link",
            in: PageFrame(request, Brand(name: name), requestID: "req_1", language: language.rawValue))
    }

    @Test("invisible characters of the name reach neither the subject nor the content", arguments: Language.allCases)
    func invisible(_ language: Language) {
        let characters: [Unicode.Scalar] = ["\u{2028}", "\u{2029}", "\u{202E}", "\u{200F}", "\u{200D}", "\u{AD}"]
        let mail = Self.mail(of: "Ac\(characters.map { "\($0)" }.joined())me", in: language)
        for part in [mail.subject, mail.text, mail.html] {
            #expect(!part.unicodeScalars.contains { characters.contains($0) } && part.contains("Ac      me"), "\(part)")
        }
    }

    @Test("the name does not change the direction of the words around it, and mail programs without the root element know theirs")
    func direction() {
        for language in [Language.arabic, .hebrew] {
            let mail = Self.mail(of: "Acme (EU)", in: language)
            for part in [mail.subject, mail.text] { #expect(part.contains("\u{2068}Acme (EU)\u{2069}"), "\(part)") }
            #expect(mail.html.contains("<div lang=\"\(language.rawValue)\" dir=\"rtl\">\n<p>"))
            #expect(mail.html.contains("<bdi>Acme (EU)</bdi>"))
        }
        #expect(Self.mail(of: "Acme (EU)", in: .english).subject == "Your sign-in to Acme (EU)")
        #expect(Self.mail(of: "\u{5D0} (EU)", in: .english).subject == "Your sign-in to \u{2068}\u{5D0} (EU)\u{2069}")
    }

    @Test("the subject stays below the limit of mails, with the end of its name", arguments: Language.allCases)
    func long(_ language: Language) {
        let subject = Self.mail(of: String(repeating: "\u{5D0}", count: 200), in: language).subject.unicodeScalars
        #expect((150...200).contains(subject.count))
        #expect(subject.contains("\u{2068}") && subject.contains("\u{2069}"))
    }
}
