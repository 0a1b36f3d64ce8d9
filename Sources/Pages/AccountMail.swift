package import Foundation
import Web

/// A mail about the account of a person who manages a tenant or the platform, as text and as HTML with the same content. It loads nothing,
/// and contains no secret except its link.
package struct AccountMail {
    /// A mail with a link for the person who asked for it.
    package enum Link: Sendable {
        case recovery, newAddress

        fileprivate var texts: (subject: Text, detail: Text) {
            switch self {
            case .recovery: (.setNewPassword, .mailSetsPassword)
            case .newAddress: (.confirmAddress, .mailConfirmsAddress)
            }
        }
    }

    /// An event that the person may not have caused.
    package enum Notice: Sendable {
        /// For the earlier address.
        case addressChanged(to: String)
        case passwordChanged, authenticatorAdded, authenticatorRemoved, appReplaced
        case passkeyAdded(name: String)
        case passkeyRemoved(name: String)
        case codesRenewed, recoveryCodeUsed, appleConnected, appleDisconnected, providerConnected, terminalAllowed, newNetwork
        case codesGuessed, recoveryCodesGuessed, factorsReset

        fileprivate var text: Text {
            switch self {
            case .addressChanged: .noticeAddressChanged
            case .passwordChanged: .noticePasswordChanged
            case .authenticatorAdded: .noticeAuthenticatorAdded
            case .authenticatorRemoved: .noticeAuthenticatorRemoved
            case .appReplaced: .noticeAppReplaced
            case .passkeyAdded: .noticePasskeyAdded
            case .passkeyRemoved: .noticePasskeyRemoved
            case .codesRenewed: .noticeCodesRenewed
            case .recoveryCodeUsed: .noticeRecoveryCodeUsed
            case .appleConnected: .noticeAppleConnected
            case .appleDisconnected: .noticeAppleDisconnected
            case .providerConnected: .noticeProviderConnected
            case .terminalAllowed: .noticeTerminalAllowed
            case .newNetwork: .noticeNewNetwork
            case .codesGuessed: .noticeCodesGuessed
            case .recoveryCodesGuessed: .noticeRecoveryCodesGuessed
            case .factorsReset: .noticeFactorsReset
            }
        }

        /// What to do if the person did not cause the event.
        fileprivate var remedies: [Text] {
            switch self {
            case .addressChanged: [.ifAddressIsLost]
            case .codesGuessed: [.ifItWasNotYou]
            case .recoveryCodesGuessed: [.ifMailboxIsRead]
            case .factorsReset: [.ifYouDidNotAsk]
            default: [.ifItWasNotYou, .checkYourAccount]
            }
        }

        /// The value that changed. It is not a part of the subject, because somebody else may have chosen it.
        fileprivate func change(in language: Language) -> [String] {
            switch self {
            case .addressChanged(let address):
                [language.text(.noticeNewAddress, [.address: language.isolated(AccountMail.masked(address))])]
            case .passkeyAdded(let name), .passkeyRemoved(let name):
                [language.text(.noticePasskeyName, [.name: language.isolated(DisplayName.visible(name))])]
            default: []
            }
        }
    }

    /// Up to 200 characters.
    package let subject: String
    package let text, html: String

    /// - Parameters:
    ///   - host: the host of this server for browsers, in ASCII.
    ///   - link: its address, in ASCII.
    package init(_ kind: Link, _ link: String, of host: String, in language: Language) {
        self.init(
            language.text(kind.texts.subject), language.text(kind.texts.detail, [.address: host]), link: link,
            [language.text(.mailLinkWorksOnce), language.text(.ignoreUnaskedMail)], in: language)
    }

    /// The subject is the event, so that the person sees it in the list of mails.
    /// - Parameters:
    ///   - host: the host of this server for browsers, in ASCII.
    ///   - network: the IP address that caused the event. Nil if the person need not judge it, or if it is unknown.
    package init(_ notice: Notice, of host: String, from network: String?, at now: Date, in language: Language) {
        let event = language.text(notice.text, [.address: host])
        let subject = event.unicodeScalars.count <= 200 ? event : language.text(.noticeOfAccount, [.address: host])
        var rest = notice.change(in: language) + [language.text(.noticeTime, [.date: language.time(now)])]
        if let network { rest.append(language.text(.noticeNetwork, [.address: language.isolated(network)])) }
        self.init(
            String(subject.unicodeScalars.prefix(200)), event, link: nil, rest + notice.remedies.map { language.text($0) }, in: language)
    }

    private init(_ subject: String, _ detail: String, link: String?, _ rest: [String], in language: Language) {
        self.subject = subject
        text = ([detail] + (link.map { [$0] } ?? []) + rest).joined(separator: "\n\n") + "\n"
        html = Self.html(subject, detail, link: link, rest: rest, in: language)
    }

    /// An address with only the first character before the `@`: the person recognizes an own one, mail programs make no link of it, and
    /// nobody writes a message into it.
    static func masked(_ address: String) -> String {
        guard let at = address.utf8.lastIndex(of: UInt8(ascii: "@")) else { return "…" }
        return "\(String(address.unicodeScalars.prefix(1)))…\(address[at...])"
    }

    static func html(_ subject: String, _ detail: String, link: String? = nil, rest: [String], in language: Language) -> String {
        template.render([
            "title": subject, "detail": detail, "hasLink": link != nil, "link": link ?? "",
            "rest": rest.map { ["sentence": $0] }, "language": language.rawValue,
            "direction": language.isRightToLeft ? "rtl" : "ltr",
        ])
    }

    /// The direction is repeated inside, because mail programs on the web show only the content of the root element.
    private static let template = HTMLTemplate(
        """
        <!doctype html>
        <html \(PageFrame.root)>
        <meta charset="utf-8">
        <title>{{title}}</title>
        <div \(PageFrame.root)>
        <p>{{detail}}</p>
        {{#hasLink}}
        <p><a href="{{link}}"><bdi>{{link}}</bdi></a></p>
        {{/hasLink}}
        {{#rest}}
        <p>{{sentence}}</p>
        {{/rest}}
        </div>
        </html>

        """)
}
