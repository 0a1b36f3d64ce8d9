import Foundation
import Testing
import Web

@testable import Pages

/// The mails about the account of a person.
@Suite("Mail about an account")
struct AccountMailTests {
    private static let notices: [AccountMail.Notice] = [
        .addressChanged(to: "mallory@evil.test"), .passwordChanged, .authenticatorAdded, .authenticatorRemoved, .appReplaced,
        .passkeyAdded(name: "Phone"), .passkeyRemoved(name: "Phone"), .codesRenewed, .recoveryCodeUsed, .appleConnected,
        .appleDisconnected, .providerConnected, .terminalAllowed, .newNetwork, .codesGuessed, .recoveryCodesGuessed, .factorsReset,
    ]

    private static func mail(_ notice: AccountMail.Notice, of host: String = "login.test", in language: Language) -> AccountMail {
        AccountMail(notice, of: host, from: "203.0.113.7", at: Date(timeIntervalSince1970: 1_800_000_000), in: language)
    }

    private static func mails(in language: Language) -> [AccountMail] {
        [AccountMail.Link.recovery, .newAddress].map { AccountMail($0, "https://login.test/x?ticket=a&b", of: "login.test", in: language) }
            + notices.map { mail($0, in: language) }
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
        #expect(Set(Self.mails(in: language).map(\.text)).count == 19)
    }

    @Test("the subject of a notice is its event, also at a host with a long name", arguments: Language.allCases)
    func subjects(_ language: Language) {
        for mail in Self.notices.map({ Self.mail($0, of: "login.example.com", in: language) }) {
            #expect(mail.text.hasPrefix("\(mail.subject)\n") && mail.html.contains("<title>\(mail.subject.escapedForHTML)</title>"))
        }
        #expect(Set(Self.notices.map { Self.mail($0, in: language).subject }).count == Self.notices.count)
        for notice in Self.notices {
            let mail = Self.mail(notice, of: String(repeating: "a", count: 253), in: language)
            #expect((1...200).contains(mail.subject.unicodeScalars.count))
        }
    }

    @Test("each notice has the time, the network address, and what to do", arguments: Language.allCases)
    func facts(_ language: Language) {
        for notice in Self.notices {
            let mail = Self.mail(notice, in: language)
            for fact in ["2027-01-15 08:00 UTC", "203.0.113.7"] { #expect(mail.text.contains(fact) && mail.html.contains(fact)) }
            let remedies: [Text] =
                switch notice {
                case .addressChanged: [.ifAddressIsLost]
                case .codesGuessed: [.ifItWasNotYou]
                case .recoveryCodesGuessed: [.ifMailboxIsRead]
                case .factorsReset: [.ifYouDidNotAsk]
                default: [.ifItWasNotYou, .checkYourAccount]
                }
            #expect(mail.text.hasSuffix(remedies.map { language.text($0) }.joined(separator: "\n\n") + "\n"))
        }
        let mail = AccountMail(.factorsReset, of: "login.test", from: nil, at: Date(timeIntervalSince1970: 0), in: language)
        #expect(!mail.text.contains(language.text(.noticeNetwork, [.address: ""])) && !mail.text.contains("{"))
    }

    @Test("a notice names a passkey, escaped and visible, and masks a new address; its subject has neither", arguments: Language.allCases)
    func changes(_ language: Language) {
        for notice in [AccountMail.Notice.passkeyAdded(name: "<b>My\u{202E} key</b>"), .passkeyRemoved(name: "<b>My\u{202E} key</b>")] {
            let mail = Self.mail(notice, in: language)
            #expect(mail.text.contains("<b>My  key</b>") && mail.html.contains("&lt;b&gt;My  key&lt;/b&gt;"))
            #expect(!mail.subject.contains("key</b>") && !mail.html.contains("<b>"))
        }
        let mail = Self.mail(.addressChanged(to: "mallory@evil.test"), in: language)
        #expect(mail.text.contains("m…@evil.test") && mail.html.contains("m…@evil.test"))
        for text in [mail.subject, mail.text, mail.html] { #expect(!text.contains("mallory") && !text.contains("href=")) }
        #expect(!mail.subject.contains("evil.test"))
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
