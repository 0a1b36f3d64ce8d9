import Access
import Encoding
package import Foundation
import Outbox
package import Postgres
package import Sealing

/// Mails to people. They wait sealed in the database, from the transaction that requires them until the mail server has accepted them.
///
///     if mail != nil { try await db.run(Mail.insertion(message, owner: tenant.uuid, keyring: keyring, at: now)) }
///
/// Only a route with a `MailSender` queues a mail. Without a sender, nothing would send it.
package enum Mail {
    /// The kind of the outbox's work. Its subject is the ID of the mail.
    package static let outboxKind = "mail"

    /// A mail to one person, as text and as HTML.
    package struct Message: Sendable {
        let recipient: MailAddress
        let subject, text, html: String
        let deliverBefore: Date

        /// The part that cannot be sent.
        package enum Refusal: Error, Equatable {
            case subject, text, html
        }

        /// - Parameters:
        ///   - subject: 1 to 200 characters without line breaks and control characters.
        ///   - text: The text, up to 16 KiB. Its lines end with a line feed.
        ///   - html: The same content as a whole HTML document, up to 48 KiB. It must not load anything.
        ///   - deliverBefore: The end of the attempts to send it, for example the expiry of its link.
        package init(to recipient: MailAddress, subject: String, text: String, html: String, deliverBefore: Date) throws(Refusal) {
            let scalars = subject.unicodeScalars
            guard (1...200).contains(scalars.count), scalars.allSatisfy(\.isPartOfHeader) else { throw .subject }
            guard Self.isBody(text, upTo: 16_384) else { throw .text }
            guard Self.isBody(html, upTo: 49_152) else { throw .html }
            (self.recipient, self.subject, self.text, self.html) = (recipient, subject, text, html)
            self.deliverBefore = deliverBefore
        }

        private static func isBody(_ text: String, upTo limit: Int) -> Bool {
            (1...limit).contains(text.utf8.count) && !text.utf8.contains(0)
        }
    }

    /// Queues a mail as a part of the caller's transaction. The outbox sends it after the commit.
    ///
    /// The address stays in the sealed row until the mail is sent or expires, even if its user is deleted earlier. So expiries are short,
    /// or the caller withdraws the mail with `removal`.
    /// - Parameters:
    ///   - uuid: A new ID for `removal`. No other work of this owner has it.
    ///   - owner: The tenant, whose other mails wait while too many of them are in progress, or the platform.
    package static func insertion(_ message: Message, id uuid: UUID, owner: UUID, keyring: Keyring, at now: Date) -> SQL {
        let id = ID<QueuedMail>(uuid)
        let sealed = keyring.seal(message.encoded, in: QueuedMail.context(owner: owner, id)).bytes
        return """
            WITH queued AS (
                INSERT INTO mail (tenant_id, id, sealed_message, deliver_before, created_at)
                VALUES (\(owner), \(id), \(sealed), \(message.deliverBefore), \(now)) RETURNING tenant_id, id)
            \(part: Outbox.insertion(outboxKind, source: "SELECT tenant_id, id FROM queued", id: uuid, at: now))
            """
    }

    /// Queues a mail that is never withdrawn.
    package static func insertion(_ message: Message, owner: UUID, keyring: Keyring, at now: Date) -> SQL {
        insertion(message, id: ID<QueuedMail>(at: now).uuid, owner: owner, keyring: keyring, at: now)
    }

    /// Withdraws a mail as a part of the caller's transaction, for example because its link was used or its user is deleted. It has no
    /// effect on a mail that was sent, or whose content the server gets at this moment.
    package static func removal(_ id: UUID, owner: UUID) -> SQL {
        """
        WITH gone AS (DELETE FROM mail WHERE tenant_id = \(owner) AND id = \(id) RETURNING tenant_id, id)
        \(part: Outbox.removal(source: "SELECT tenant_id, id FROM gone"))
        """
    }
}

extension Mail.Message {
    /// The sealed content. The time is in a column of its own.
    var encoded: [UInt8] {
        var fields = FieldWriter()
        fields.write(recipient.address)
        fields.write(subject)
        fields.write(text)
        fields.write(html)
        return fields.bytes
    }

    /// - Throws: `FieldReader.Truncated`, `Refusal` or `Unreadable` for content that `encoded` does not write.
    init(_ bytes: [UInt8], deliverBefore: Date) throws {
        var fields = FieldReader(bytes)
        guard let recipient = MailAddress(try fields.string()) else { throw Unreadable() }
        try self.init(
            to: recipient, subject: try fields.string(), text: try fields.string(), html: try fields.string(), deliverBefore: deliverBefore)
    }

    struct Unreadable: Error {}
}

extension Unicode.Scalar {
    /// Whether a header may contain it. A line break would start another header.
    fileprivate var isPartOfHeader: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
