import Access
import Encoding
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
struct WorkOSSessionID {
    let session: ID<Session>
    /// Nil in Espalier's own form of the ID.
    let application: ID<Application>?

    init(_ session: ID<Session>, of application: ID<Application>) {
        (self.session, self.application) = (session, application)
    }

    init?(_ text: String) {
        let short = Session.idPrefix.utf8.count + 1 + 26
        let (start, end) = (Substring(text.utf8.prefix(short)), Substring(text.utf8.dropFirst(short)))
        guard let session = ID<Session>(String(start)) else { return nil }
        self.session = session
        application = ID("\(Application.idPrefix)_\(end)")
        guard end.isEmpty || application != nil else { return nil }
    }

    var text: String { session.description + (application.map { String(WorkOSID.digits($0)) } ?? "") }
}
