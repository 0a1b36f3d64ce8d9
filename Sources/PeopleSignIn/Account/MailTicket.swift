import Access
import Encoding
import Foundation
import People
import Sealing

/// The secret of a mailed link. Its holder reads the mailbox. It is sealed, and the database does not store it.
///
/// It works once, because the change that it permits makes it useless: the password or the address is another one.
struct MailTicket: Sendable {
    enum Kind: UInt8, Sendable {
        /// Permits a new password, together with a code of the second factor.
        case recovery
        /// Gives the account the address of the mail.
        case newAddress
    }

    /// In seconds.
    static let lifetime: TimeInterval = 3600
    private static let purpose = "account_mail"
    /// Longer than every ticket, in bytes of its text.
    private static let longest = 2048

    let kind: Kind
    let person: ID<Person>
    /// The address of the mail.
    let address: String
    /// The address that the account had.
    let earlier: String
    let issuedAt: Date

    init(_ kind: Kind, of person: Person, to address: String, at now: Date) {
        (self.kind, self.person, self.address, earlier, issuedAt) = (kind, person.id, address, person.email, now)
    }

    var expiresAt: Date { issuedAt.addingTimeInterval(Self.lifetime) }

    func sealed(with keyring: Keyring) -> String {
        var fields = FieldWriter()
        fields.write([kind.rawValue])
        fields.write(person.uuid)
        fields.write(address)
        fields.write(earlier)
        fields.write(issuedAt)
        return keyring.sealToken(fields.bytes, purpose: Self.purpose)
    }

    /// Nil unless this server sealed it for this kind, and the time is not over.
    init?(_ kind: Kind, opening sealed: String?, with keyring: Keyring, at now: Date) {
        guard let sealed, sealed.utf8.count <= Self.longest, let bytes = try? keyring.openToken(sealed, purpose: Self.purpose)
        else { return nil }
        var fields = FieldReader(bytes)
        do {
            guard try fields.bytes() == [kind.rawValue] else { return nil }
            (self.kind, person) = (kind, ID(try fields.uuid()))
            (address, earlier, issuedAt) = (try fields.string(), try fields.string(), try fields.date())
        } catch { return nil }
        guard issuedAt <= now, now < expiresAt else { return nil }
    }

    /// Whether the account is as it was when the link was mailed.
    func isCurrent(for person: Person) -> Bool {
        guard person.id == self.person, person.email.isSame(as: earlier) else { return false }
        return kind == .newAddress || person.passwordChangedAt.map { $0 <= issuedAt } ?? true
    }
}
