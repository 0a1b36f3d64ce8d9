package import Foundation
import Web

/// A mail to an owner of a tenant about an act of an operator, or about the provider of the members, as text and as HTML with the same
/// content. It loads nothing.
package struct OperatorMail {
    package enum Notice: Sendable {
        /// - Parameters:
        ///   - address: the address of the operator, who chooses its name itself.
        ///   - command: the command of `espalierctl` that ends the access.
        case supportStarted(by: String, reason: String, until: Date, command: String)
        /// - Parameter actor: the address of the operator, or the ID of an API key.
        case membersChanged(by: String, MemberChange)
        /// - Parameter actor: the address of a member, or the ID of another actor.
        case providerSet(issuer: String, isRequired: Bool, actor: String)
        case providerDeleted(actor: String)
    }

    /// A change of the members, with the address of the person and the names of the roles.
    package enum MemberChange: Sendable {
        case invited(String, role: String)
        case uninvited(String, role: String)
        case roleChanged(String, from: String, to: String)
        case removed(String, role: String)
    }

    /// The event, in up to 200 characters.
    package let subject: String
    package let text, html: String

    /// - Parameters:
    ///   - organization: the name of the tenant.
    ///   - host: the host of this server for browsers, in ASCII.
    package init(_ notice: Notice, organization: String, of host: String, in language: Language) {
        let name = DisplayName.visible(organization)
        var short = String.UnicodeScalarView()
        // The words around the name and the host have up to 48 characters.
        short.append(contentsOf: name.unicodeScalars.prefix(70))
        let place = host.utf8.count > 80 ? "\(host.prefix(79))…" : host
        subject = language.text(notice.subject, [.organization: language.isolated(String(short)), .address: place])
        var values: [Text.Placeholder: String] = [.organization: language.isolated(name), .address: host]
        let paragraphs: [String]
        switch notice {
        case .supportStarted(let user, let reason, let end, let command):
            values[.user] = language.isolated(DisplayName.visible(user))
            values[.date] = language.time(end)
            paragraphs = [
                language.text(.supportStarted, values), language.isolated(DisplayName.visible(reason)),
                language.text(.supportCanEnd), language.isolated(command),
            ]
        case .membersChanged(let user, let change):
            values[.user] = language.isolated(DisplayName.visible(user))
            paragraphs = [language.text(.operatorChangedMembers, values), change.text(in: language)]
        case .providerSet(let issuer, let isRequired, let actor):
            values[.user] = language.isolated(actor)
            paragraphs = [
                language.text(.providerWasSet, values), language.isolated(issuer),
                language.text(isRequired ? .providerIsRequired : .providerIsOptional),
            ]
        case .providerDeleted(let actor):
            values[.user] = language.isolated(actor)
            paragraphs = [language.text(.providerWasDeleted, values)]
        }
        text = paragraphs.joined(separator: "\n\n") + "\n"
        html = AccountMail.html(subject, paragraphs[0], rest: Array(paragraphs.dropFirst()), in: language)
    }
}

extension OperatorMail.MemberChange {
    fileprivate func text(in language: Language) -> String {
        func text(_ text: Text, _ name: String, _ role: String, earlier: String = "") -> String {
            let values: [Text.Placeholder: String] = [.name: name, .role: role, .earlier: earlier]
            return language.text(text, values.mapValues { language.isolated(DisplayName.visible($0)) })
        }
        return switch self {
        case .invited(let name, let role): text(.memberInvited, name, role)
        case .uninvited(let name, let role): text(.memberUninvited, name, role)
        case .roleChanged(let name, let earlier, let role): text(.memberRoleChanged, name, role, earlier: earlier)
        case .removed(let name, let role): text(.memberRemoved, name, role)
        }
    }
}

extension OperatorMail.Notice {
    fileprivate var subject: Text {
        switch self {
        case .supportStarted: .subjectOfSupport
        case .membersChanged: .subjectOfMembers
        case .providerSet, .providerDeleted: .subjectOfProvider
        }
    }
}
