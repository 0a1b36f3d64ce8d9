import Foundation
import Testing

@testable import Pages

/// The mails to the owners of a tenant about an act of an operator.
@Suite("Mail about an operator")
struct OperatorMailTests {
    private static let reason = "Ticket 4711: <b>sign-ins</b> fail"

    private static func mails(of organization: String, at host: String = "login.test", in language: Language) -> [OperatorMail] {
        [
            .supportStarted(
                by: "grace\u{202E}@login.test", reason: reason, until: Date(timeIntervalSince1970: 1_800_000_000),
                command: "espalierctl support end support_1 --tenant acme"),
            .membersChanged(by: "grace\u{202E}@login.test", .invited("mary@acme.test", role: "Developer")),
            .membersChanged(by: "grace\u{202E}@login.test", .uninvited("mary@acme.test", role: "Developer")),
            .membersChanged(by: "grace\u{202E}@login.test", .roleChanged("mary@acme.test", from: "Viewer", to: "Developer")),
            .membersChanged(by: "grace\u{202E}@login.test", .removed("mary@acme.test", role: "Developer")),
            .providerSet(issuer: "https://id.test", isRequired: true, actor: "ada@acme.test"),
            .providerSet(issuer: "https://id.test", isRequired: false, actor: "ada@acme.test"), .providerDeleted(actor: "ada@acme.test"),
        ].map {
            OperatorMail($0, organization: organization, of: host, in: language)
        }
    }

    @Test("each mail names the tenant and the server, and has the same content twice", arguments: Language.allCases)
    func content(_ language: Language) {
        for mail in Self.mails(of: "Acme & Söhne", in: language) {
            #expect(mail.subject.contains("Acme & Söhne"))
            #expect(mail.text.contains("Acme & Söhne") && mail.html.contains("Acme &amp; Söhne"))
            #expect(mail.text.contains("login.test") && mail.html.contains("login.test"))
            #expect(!mail.text.contains("{") && !mail.html.contains("{"))
            #expect(!mail.html.contains("href=") && !mail.html.contains("<script"))
        }
        let subjects = Set(Self.mails(of: "Acme", in: language).map(\.subject))
        #expect(subjects.count == 3)
        let started = Self.mails(of: "Acme", in: language)[0]
        #expect(started.text.contains(Self.reason) && started.text.contains("grace @login.test") && !started.html.contains("<b>"))
        for text in ["2027-01-15 08:00 UTC", "espalierctl support end support_1 --tenant acme"] { #expect(started.text.contains(text)) }
    }

    @Test("a mail about members names the operator, the person and the roles, with words per change", arguments: Language.allCases)
    func members(_ language: Language) {
        let mails = Self.mails(of: "Acme", in: language)[1...4]
        for mail in mails {
            let texts = ["grace @login.test", "mary@acme.test", "Developer"]
            #expect(texts.allSatisfy { mail.text.contains($0) && mail.html.contains($0) })
        }
        #expect(mails.map { $0.text.contains("Viewer") } == [false, false, true, false] && Set(mails.map(\.text)).count == 4)
        let change = OperatorMail.MemberChange.removed("mary@acme.test", role: "<b>Vip\u{202E}</b>")
        let mail = OperatorMail(.membersChanged(by: "<i>Grace</i>", change), organization: "Acme", of: "login.test", in: language)
        #expect(mail.text.contains("<b>Vip </b>") && !mail.html.contains("<b>") && !mail.html.contains("<i>"))
    }

    @Test("a mail about the provider says whether it is required", arguments: Language.allCases)
    func provider(_ language: Language) {
        let mails = Self.mails(of: "Acme", in: language)
        for (mail, words) in [(mails[5], [true, false]), (mails[6], [false, true]), (mails[7], [false, false])] {
            #expect([Text.providerIsRequired, .providerIsOptional].map { mail.text.contains(language.text($0)) } == words)
        }
    }

    @Test("a subject fits into 200 characters, and a name changes no direction and adds no line", arguments: Language.allCases)
    func names(_ language: Language) {
        let name = String(repeating: "x", count: 190) + "\u{2028}\u{202E}\u{600}\u{200D}"
        for host in ["login.test", String(repeating: "login.", count: 40) + "test"] {
            for mail in Self.mails(of: name, at: host, in: language) {
                #expect((1...200).contains(mail.subject.unicodeScalars.count))
                for scalar in ["\u{2028}", "\u{202E}", "\u{600}", "\u{200D}"] as [Character] { #expect(!mail.text.contains(scalar)) }
            }
        }
    }
}
