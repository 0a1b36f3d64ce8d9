import Testing
import Web

@testable import Pages

/// The mails about the account of a person.
@Suite("Mail about an account")
struct AccountMailTests {
    private static func mails(in language: Language) -> [AccountMail] {
        [AccountMail.Link.recovery, .newAddress].map { AccountMail($0, "https://login.test/x?ticket=a&b", of: "login.test", in: language) }
            + AccountMail.Notice.allCases.map { AccountMail($0, of: "login.test", in: language) }
    }

    @Test("each mail names the server, fits into a subject, and has the same content twice", arguments: Language.allCases)
    func content(_ language: Language) {
        for mail in Self.mails(in: language) {
            #expect((1...200).contains(mail.subject.unicodeScalars.count))
            #expect(mail.text.contains("login.test") && mail.html.contains("login.test"))
            #expect(mail.html.contains("<div lang=\"\(language.rawValue)\" dir=\"\(language.isRightToLeft ? "rtl" : "ltr")\">"))
            #expect(!mail.text.contains("{") && !mail.html.contains("{"))
            #expect(!mail.html.contains("src=") && !mail.html.contains("<script"))
        }
        #expect(Set(Self.mails(in: language).map(\.text)).count == 17)
    }

    @Test("the subject of a notice is its event, also at a host with a long name", arguments: Language.allCases)
    func subjects(_ language: Language) {
        let notices = AccountMail.Notice.allCases
        for mail in notices.map({ AccountMail($0, of: "login.example.com", in: language) }) {
            #expect(mail.text.hasPrefix("\(mail.subject)\n") && mail.html.contains("<title>\(mail.subject.escapedForHTML)</title>"))
        }
        #expect(Set(notices.map { AccountMail($0, of: "login.test", in: language).subject }).count == notices.count)
        for notice in notices {
            let mail = AccountMail(notice, of: String(repeating: "a", count: 253), in: language)
            #expect((1...200).contains(mail.subject.unicodeScalars.count))
        }
    }

    @Test("only a mail with a link has one, escaped in the HTML")
    func links() {
        for mail in Self.mails(in: .english) {
            let hasLink = mail.text.contains("https://login.test/x?ticket=a&b")
            #expect(hasLink == mail.html.contains("href=\"https://login.test/x?ticket=a&amp;b\""))
            #expect(hasLink == mail.text.contains("Do not forward"))
        }
    }
}
