import Web

/// A mail about the account of a person who manages a tenant or the platform, as text and as HTML with the same content. It loads nothing,
/// and contains neither a name nor a secret except its link.
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
    package enum Notice: CaseIterable, Sendable {
        case addressChanged, passwordChanged, passkeyAdded, appReplaced, appleConnected, providerConnected, factorRemoved, newNetwork,
            codesGuessed, recoveryCodesGuessed
        case authenticatorAdded, codesRenewed, recoveryCodeUsed, terminalAllowed, factorsReset

        fileprivate var text: Text {
            switch self {
            case .addressChanged: .noticeAddressChanged
            case .passwordChanged: .noticePasswordChanged
            case .passkeyAdded: .noticePasskeyAdded
            case .appReplaced: .noticeAppReplaced
            case .appleConnected: .noticeAppleConnected
            case .providerConnected: .noticeProviderConnected
            case .factorRemoved: .noticeFactorRemoved
            case .newNetwork: .noticeNewNetwork
            case .codesGuessed: .noticeCodesGuessed
            case .recoveryCodesGuessed: .noticeRecoveryCodesGuessed
            case .authenticatorAdded: .noticeAuthenticatorAdded
            case .codesRenewed: .noticeCodesRenewed
            case .recoveryCodeUsed: .noticeRecoveryCodeUsed
            case .terminalAllowed: .noticeTerminalAllowed
            case .factorsReset: .noticeFactorsReset
            }
        }

        fileprivate var remedy: Text {
            if case .recoveryCodesGuessed = self { .ifMailboxIsRead } else { .ifItWasNotYou }
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
            language.text(kind.texts.subject), kind.texts.detail, link: link, [.mailLinkWorksOnce, .ignoreUnaskedMail], of: host,
            in: language)
    }

    /// The subject is the event, so that the person sees it in the list of mails.
    /// - Parameter host: the host of this server for browsers, in ASCII.
    package init(_ notice: Notice, of host: String, in language: Language) {
        let event = language.text(notice.text, [.address: host])
        let subject = event.unicodeScalars.count <= 200 ? event : language.text(.noticeOfAccount, [.address: host])
        self.init(String(subject.unicodeScalars.prefix(200)), notice.text, link: nil, [notice.remedy], of: host, in: language)
    }

    private init(_ subject: String, _ detail: Text, link: String?, _ rest: [Text], of host: String, in language: Language) {
        self.subject = subject
        let paragraphs = [language.text(detail, [.address: host])] + (link.map { [$0] } ?? []) + rest.map { language.text($0) }
        text = paragraphs.joined(separator: "\n\n") + "\n"
        html = Self.html(subject, paragraphs[0], link: link, rest: rest.map { language.text($0) }, in: language)
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
