import Access
import Encoding
import Sealing
import Sessions
import Tenancy

/// The text of an ID in WorkOS's interface. The prefix differs from Espalier's, and the 26 characters after it are the same.
///
/// Requests may use either prefix. Responses use WorkOS's.
enum WorkOSID {
    static func text(_ client: ID<Application>) -> String { text("client", client) }
    static func text(_ organization: ID<Tenant>) -> String { text("org", organization) }

    static func application(_ text: String) -> ID<Application>? { id(text, "client") }
    static func tenant(_ text: String) -> ID<Tenant>? { id(text, "org") }

    private static func text<Entity: Identified>(_ prefix: String, _ id: ID<Entity>) -> String {
        "\(prefix)_\(digits(id))"
    }

    static func id<Entity: Identified>(_ text: String, _ prefix: String) -> ID<Entity>? {
        guard text.begins(with: "\(prefix)_") else { return ID(text) }
        return ID("\(Entity.idPrefix)_\(Substring(text.utf8.dropFirst(prefix.utf8.count + 1)))")
    }

    /// The part of an ID after its prefix and the underscore.
    static func digits<Entity: Identified>(_ id: ID<Entity>) -> Substring {
        Substring(id.description.utf8.dropFirst(Entity.idPrefix.utf8.count + 1))
    }
}

/// The ID of a session in WorkOS's interface: `session_`, the 26 characters of the session, and the 26 characters of its application.
///
/// WorkOS's logout URL contains only this ID. No table finds a session without its tenant, so the ID names the application, and the
/// application has a tenant.
///
/// In an access token, a proof follows: `_` and a MAC. Others learn the two IDs from usage events, lists and tokens for APIs, so the IDs
/// alone must not end a session without an API key.
struct WorkOSSessionID {
    private static let purpose = "workos_session"
    private static let lengthOfIDs = Session.idPrefix.utf8.count + 1 + 26 + 26
    /// In bytes.
    private static let lengthOfMAC = 16

    let session: ID<Session>
    /// Nil in Espalier's own form of the ID.
    let application: ID<Application>?

    init(_ session: ID<Session>, of application: ID<Application>?) {
        (self.session, self.application) = (session, application)
    }

    /// Reads the ID with or without a proof, and with or without an application.
    init?(_ text: String) {
        let short = Session.idPrefix.utf8.count + 1 + 26
        let (start, rest) = (Substring(text.utf8.prefix(short)), text.utf8.dropFirst(short))
        let hasProof = rest.count > 26 && rest.dropFirst(26).first == UInt8(ascii: "_")
        let end = Substring(hasProof ? rest.prefix(26) : rest)
        guard let session = ID<Session>(String(start)) else { return nil }
        self.session = session
        application = ID("\(Application.idPrefix)_\(end)")
        guard end.isEmpty || application != nil else { return nil }
    }

    /// Reads the ID in an access token. Nil without a valid proof.
    init?(proven text: String, with keyring: Keyring) {
        guard let id = Self(text), id.application != nil,
            let proof = [UInt8](base64URL: String(Substring(text.utf8.dropFirst(Self.lengthOfIDs + 1)))),
            proof.count == 4 + Self.lengthOfMAC, let keyID = KeyID(Array(proof[..<4])),
            let expected = keyring.mac(Array(id.text.utf8), purpose: Self.purpose, keyID: keyID),
            constantTimeEqual(Array(expected.prefix(Self.lengthOfMAC)), Array(proof[4...]))
        else { return nil }
        self = id
    }

    /// The ID with its proof, for an access token.
    func proven(with keyring: Keyring) -> String {
        let keyID = keyring.currentDigestKeyID
        let mac = keyring.mac(Array(text.utf8), purpose: Self.purpose, keyID: keyID)!
        return "\(text)_\((keyID.bytes + mac.prefix(Self.lengthOfMAC)).base64URL)"
    }

    var text: String { session.description + (application.map { String(WorkOSID.digits($0)) } ?? "") }
}
