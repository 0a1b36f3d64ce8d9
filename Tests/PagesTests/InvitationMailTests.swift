import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import Pages

/// The names of the tenant and of its role in the mail with an invitation.
@Suite("Mail with an invitation")
struct InvitationMailTests {
    private static let link = "https://login.test/account/invitation?token=a&b"

    private static func mail(_ organization: String, role: String? = nil, in language: Language) -> InvitationMail {
        let head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/")
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        let frame = PageFrame(request, nil, requestID: "req_1", language: language.rawValue)
        return InvitationMail(
            link: link, of: "login.test", until: Date(timeIntervalSince1970: 1_800_000_000), organization: organization, role: role,
            .roleViewer, in: frame)
    }

    @Test("text and HTML name the tenant, the role and the link, escaped in the HTML", arguments: Language.allCases)
    func content(_ language: Language) {
        for (role, shown) in [("Night <b>shift</b> & co", "Night <b>shift</b> & co"), (nil, language.text(.roleViewer))] {
            let mail = Self.mail("Acme <i> & Söhne", role: role, in: language)
            #expect(mail.subject.contains("Acme <i> & Söhne"))
            #expect(mail.text.contains("Acme <i> & Söhne") && mail.text.contains(shown))
            #expect(mail.text.contains("\n\n\(Self.link)\n\n"))
            // The installation and the end of the link.
            #expect(mail.text.prefix { $0 != "\n" }.contains("login.test") && mail.html.contains("<bdi>login.test</bdi>"))
            for part in [mail.text, mail.html] { #expect(part.contains("2027-01-15 08:00 UTC")) }
            #expect(mail.html.contains("Acme &lt;i&gt; &amp; Söhne"))
            #expect(mail.html.contains("href=\"https://login.test/account/invitation?token=a&amp;b\""))
            for markup in ["<i>", "<b>", "src=", "<script"] { #expect(!mail.html.contains(markup)) }
            #expect(mail.html.contains("<div lang=\"\(language.rawValue)\" dir=\"\(language.isRightToLeft ? "rtl" : "ltr")\">"))
            for part in [mail.subject, mail.text, mail.html] { #expect(!part.contains("{") && !part.contains("}")) }
        }
    }

    @Test("a name that looks like a placeholder is not filled in")
    func placeholders() {
        let mail = Self.mail("{role}", role: "{{link}}{organization}", in: .english)
        #expect(mail.subject.contains("{role}") && mail.text.contains("{role}") && mail.text.contains("{{link}}{organization}"))
        #expect(mail.html.contains("{role}") && mail.html.contains("{{link}}{organization}"))
    }

    @Test("invisible characters of both names reach neither the subject nor the content", arguments: Language.allCases)
    func invisible(_ language: Language) {
        let characters: [Unicode.Scalar] = ["\n", "\r", "\0", "\u{600}", "\u{200D}", "\u{2028}", "\u{202E}", "\u{2069}"]
        let hidden = characters.map { "\($0)" }.joined()
        let mail = Self.mail("Ac\(hidden)me", role: "Ro\(hidden)le", in: language)
        let blanks = String(repeating: " ", count: characters.count)
        for part in [mail.subject, mail.text, mail.html] { #expect(part.contains("Ac\(blanks)me"), "\(part)") }
        for part in [mail.text, mail.html] { #expect(part.contains("Ro\(blanks)le"), "\(part)") }
        for part in [mail.subject, mail.text, mail.html] {
            // The mail itself has lines, and the end of each isolation.
            let scalars = part.unicodeScalars.filter { !["\n", "\u{2069}"].contains($0) || part == mail.subject && $0 == "\n" }
            #expect(!scalars.contains { characters.contains($0) }, "\(part.debugDescription)")
        }
    }

    @Test("a combining mark stays with the name, and changes neither the words nor the markup around it")
    func combining() {
        let mail = Self.mail("\u{301}Acme\u{301}", role: "\u{301}", in: .english)
        #expect(mail.text.unicodeScalars.contains("\u{301}"))
        for name in ["\u{301}Acme\u{301}", "\u{301}"] {
            #expect(Array(mail.html.utf8).contains(Array("<bdi>\(name)</bdi>".utf8)))
            #expect(Array(mail.text.utf8).contains(Array("\u{2068}\(name)\u{2069}".utf8)))
        }
    }

    @Test("the subject has at most 200 characters, with the end of its name", arguments: Language.allCases)
    func long(_ language: Language) {
        for scalar in ["x", "\u{5D0}", "\u{1F600}"] {
            let mail = Self.mail(String(repeating: scalar, count: 200), role: String(repeating: scalar, count: 200), in: language)
            #expect((150...200).contains(mail.subject.unicodeScalars.count))
            #expect(mail.subject.unicodeScalars.contains("\u{2068}") == mail.subject.unicodeScalars.contains("\u{2069}"))
            // The content has the whole name.
            #expect(mail.text.contains(String(repeating: scalar, count: 200)) && mail.html.contains(String(repeating: scalar, count: 200)))
        }
    }
}
