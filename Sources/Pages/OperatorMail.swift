import Web

/// A mail to an owner of a tenant about an act of an operator, or about the provider of the members, as text and as HTML with the same content. It loads nothing.
package struct OperatorMail {
    package enum Notice: Sendable {
        case supportStarted(reason: String, minutes: Int)
        case membersChanged
        /// - Parameter actor: the address of a member, or the ID of another actor.
        case providerSet(issuer: String, actor: String)
        case providerDeleted(actor: String)
    }

    /// Up to 200 characters.
    package let subject: String
    package let text, html: String

    /// - Parameters:
    ///   - organization: the name of the tenant.
    ///   - host: the host of this server for browsers, in ASCII.
    package init(_ notice: Notice, organization: String, of host: String, in language: Language) {
        let name = DisplayName.visible(organization)
        var short = String.UnicodeScalarView()
        short.append(contentsOf: name.unicodeScalars.prefix(100))
        // The host has up to 253 characters, and the subject fewer.
        let isLong = host.utf8.count > 80
        subject =
            isLong
            ? String(short)
            : language.text(.noticeOfTenant, [.organization: language.isolated(String(short)), .address: host])
        var values: [Text.Placeholder: String] = [.organization: language.isolated(name), .address: host]
        let paragraphs: [String]
        switch notice {
        case .supportStarted(let reason, let minutes):
            values[.minutes] = String(minutes)
            paragraphs = [
                language.text(.supportStarted, values), language.isolated(DisplayName.visible(reason)),
                language.text(.supportCanEnd),
            ]
        case .membersChanged: paragraphs = [language.text(.operatorChangedMembers, values)]
        case .providerSet(let issuer, let actor):
            values[.user] = language.isolated(actor)
            paragraphs = [language.text(.providerWasSet, values), language.isolated(issuer)]
        case .providerDeleted(let actor):
            values[.user] = language.isolated(actor)
            paragraphs = [language.text(.providerWasDeleted, values)]
        }
        text = paragraphs.joined(separator: "\n\n") + "\n"
        html = AccountMail.html(subject, paragraphs[0], rest: Array(paragraphs.dropFirst()), in: language)
    }
}
