package import Access
import Encoding
package import Foundation
package import Mail
package import Pages
package import Postgres
package import Sealing
import Web

extension Person {
    /// How long the server tries to send a notice, in seconds.
    private static let noticeLifetime: TimeInterval = 86400

    /// Queues a mail to the person about a change, as a part of its transaction. Nil for an address that no mail reaches.
    /// - Parameters:
    ///   - address: the address of the mail. Default: the person's.
    ///   - publicURL: the URL of this server for browsers.
    ///   - network: the IP address that made the change. Nil for a change by an operator.
    package func notice(
        _ notice: AccountMail.Notice, to address: String? = nil, publicURL: String, from network: String?, language: Language = .english,
        keyring: Keyring, at now: Date
    ) throws -> SQL? {
        let mail = AccountMail(notice, of: Self.host(of: publicURL), from: network, at: now, in: language)
        return try Self.insertion(
            of: mail, to: address ?? email, until: now.addingTimeInterval(Self.noticeLifetime), keyring: keyring, at: now)
    }

    /// Queues a mail with a link, as a part of the transaction that asks for it.
    package static func insertion(
        of mail: AccountMail, to address: String, until expiresAt: Date, keyring: Keyring, at now: Date
    ) throws -> SQL? {
        guard let recipient = MailAddress(address) else { return nil }
        let message = try Mail.Message(
            to: recipient, subject: mail.subject, text: mail.text, html: mail.html, deliverBefore: expiresAt)
        return Mail.insertion(message, owner: .platform, keyring: keyring, at: now)
    }

    /// The name of this server in mails.
    package static func host(of publicURL: String) -> String {
        URL(string: publicURL)?.host(percentEncoded: false) ?? publicURL
    }
}
