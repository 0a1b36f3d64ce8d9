import Access
import Encoding
import People
import Sealing

/// The proof that a person has seen which terminal asks, sealed into the forms of the page. It belongs to the session of the browser.
struct TerminalTicket: Sendable {
    private static let purpose = "terminal_ticket"

    let device: ID<PersonDevice>

    init(_ device: ID<PersonDevice>) {
        self.device = device
    }

    func sealed(for session: ID<PersonSession>, with keyring: Keyring) -> String {
        var fields = FieldWriter()
        fields.write(device.uuid)
        fields.write(session.uuid)
        return keyring.sealToken(fields.bytes, purpose: Self.purpose)
    }

    /// Nil unless it was sealed for this session.
    init?(opening sealed: String?, for session: ID<PersonSession>, with keyring: Keyring) {
        guard let sealed, let bytes = try? keyring.openToken(sealed, purpose: Self.purpose) else { return nil }
        var fields = FieldReader(bytes)
        guard let device = try? fields.uuid(), let owner = try? fields.uuid(), owner == session.uuid else { return nil }
        self.device = ID(device)
    }
}
