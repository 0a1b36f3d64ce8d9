import Access
import Encoding
import Foundation
import People
import Postgres
import Sealing
import Sessions
import Web

/// A person's decision that a terminal may act as this person: the session that the terminal gets, once.
///
/// It is sealed into a code, or for the row of a device, so nobody who can write to the database can make one.
struct TerminalApproval: Sendable, Equatable {
    /// The session that starts with it.
    let session: ID<PersonSession>
    let person: ID<Person>
    /// The session of the browser that approved. If it ends before, the terminal gets nothing.
    let browser: ID<PersonSession>
    let methods: [String]
    let onlyTenant: ID<Tenant>?
    /// When the person gave all factors in that browser.
    let authenticatedAt: Date

    /// - Parameter browser: the session of the browser that approves.
    init(by browser: PersonSession, at now: Date) {
        session = ID(at: now)
        (person, self.browser, methods) = (browser.person, browser.id, browser.methods)
        (onlyTenant, authenticatedAt) = (browser.onlyTenant, browser.authenticatedAt)
    }

    func write(to fields: inout FieldWriter) {
        fields.write(session.uuid)
        fields.write(person.uuid)
        fields.write(browser.uuid)
        fields.write(methods.joined(separator: " "))
        fields.write(onlyTenant?.description)
        fields.write(authenticatedAt)
    }

    init(from fields: inout FieldReader) throws {
        (session, person, browser) = (ID(try fields.uuid()), ID(try fields.uuid()), ID(try fields.uuid()))
        methods = try fields.string().parts(at: " ").map(String.init)
        let tenant = try fields.optionalString()
        onlyTenant = tenant.flatMap { ID($0) }
        // A tenant that cannot be read must not become all of them.
        guard (tenant == nil) == (onlyTenant == nil) else { throw Unreadable() }
        authenticatedAt = try fields.date()
    }

    private struct Unreadable: Error {}
}

// MARK: Devices

extension TerminalApproval {
    private static func purpose(for device: ID<PersonDevice>) -> String { "terminal_device_approval \(device)" }

    func sealed(for device: ID<PersonDevice>, with keyring: Keyring) -> String {
        var fields = FieldWriter()
        write(to: &fields)
        return keyring.sealToken(fields.bytes, purpose: Self.purpose(for: device))
    }

    /// Nil unless this server sealed it for this device.
    init?(opening sealed: String, for device: ID<PersonDevice>, with keyring: Keyring) {
        guard let bytes = try? keyring.openToken(sealed, purpose: Self.purpose(for: device)) else { return nil }
        var fields = FieldReader(bytes)
        do { try self.init(from: &fields) } catch { return nil }
    }
}

// MARK: The session

/// The person ended the browser's session, or changed the password, after the approval.
struct ApprovalEnded: Error {}

/// The token of a terminal (RFC 6749, section 5.1). It has no refresh token, because the server checks each call anyway.
struct TerminalToken: Encodable, Sendable {
    let access_token: String
    let token_type = "Bearer"
    /// In seconds. The session also ends after 30 days without a use.
    let expires_in: Int

    init(_ secret: Secret, of approval: TerminalApproval) {
        access_token = secret.reveal()
        expires_in = Int(PersonSession.lifetime(of: .terminal, onlyTenant: approval.onlyTenant))
    }
}

extension TerminalApproval {
    /// Starts the session, in the transaction that uses up the approval.
    /// - Throws: `ApprovalEnded`.
    func start(
        _ secret: Secret, on device: TerminalDevice, keyring: Keyring, _ context: WebContext, in db: Transaction, at now: Date
    ) async throws {
        guard try await !db.run(PersonSession.lock(active: browser, of: person, at: now)).isEmpty else { throw ApprovalEnded() }
        let new = PersonSession.New(
            session, of: person, .terminal, methods: methods, onlyTenant: onlyTenant, authenticatedAt: authenticatedAt,
            userAgent: device.label, address: device.device.address)
        let started = Started(session: session, browser_session: browser, methods: methods)
        _ = try await db.run([
            new.insert(secret, keyring: keyring, at: now),
            try AuditEvent.insert(
                "terminalToken", of: person.description, owner: .platform, by: .terminal(session, of: person, context), after: started,
                at: now),
        ])
    }

    private struct Started: Encodable {
        let session: ID<PersonSession>
        /// The session that approved.
        let browser_session: ID<PersonSession>
        let methods: [String]
    }
}

extension AuditEvent.Origin {
    /// A person in the session of a terminal.
    static func terminal(_ session: ID<PersonSession>, of person: ID<Person>, _ context: WebContext) -> Self {
        let facts = context.record.current
        return Self(actor: person.description, address: facts.address, requestID: facts.requestID, session: session)
    }
}

/// The terminal of a session, as the list of a person's sessions shows it.
struct TerminalDevice: Sendable {
    let name: TerminalName?
    let device: Device

    /// The program with the name that it states, or else its user agent. It has no words, because the list is in the language of its reader.
    var label: String? { name.map { "\(TerminalClient.id) (\($0.text))" } ?? device.userAgent }
}
