package import Foundation
import Web

/// The mail with the link of an invitation, as text and as HTML with the same content. It loads nothing.
package struct InvitationMail {
    /// Up to 200 characters.
    package let subject: String
    package let text, html: String

    /// - Parameters:
    ///   - link: its address, in ASCII.
    ///   - host: the host of this server for browsers, in ASCII.
    ///   - end: when the link stops working.
    ///   - organization: the name of the tenant.
    ///   - role: the name of a role that the tenant defined. Nil for `roleText`.
    ///   - frame: the frame of the request, for its language.
    package init(
        link: String, of host: String, until end: Date, organization: String, role: String?, _ roleText: Text, in frame: PageFrame
    ) {
        let language = frame.language
        let values: [Text.Placeholder: String] = [
            .organization: DisplayName.visible(organization), .role: role.map(DisplayName.visible) ?? language.text(roleText),
            .address: host,
        ]
        let next = language.text(.openLinkToAccept, [.date: language.time(end)])
        // The words around it have up to 48 characters.
        var short = String.UnicodeScalarView()
        short.append(contentsOf: values[.organization]!.unicodeScalars.prefix(150))
        subject = language.text(.invitationSubject, [.organization: language.isolated(String(short))])
        text = """
            \(language.text(.mailInvites, values.mapValues(language.isolated)))

            \(next)

            \(link)

            \(language.text(.ignoreInvitation))

            """
        html = LinkMail.html(
            title: subject, link: link, detail: frame.content(.mailInvites, values), next: next,
            otherwise: language.text(.ignoreInvitation), in: frame)
    }
}

extension Language {
    /// A time in mails, which is the same in all languages.
    func time(_ date: Date) -> String { isolated(date.minuteText) }
}

extension Date {
    /// The day and the minute in UTC.
    package var minuteText: String {
        let text = formatted(.iso8601)
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
    }
}
