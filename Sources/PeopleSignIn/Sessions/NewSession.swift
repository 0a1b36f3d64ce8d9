import Access
import Encoding
import Foundation
import Hummingbird
import People
import Postgres
import Sealing
import Sessions
import Web

/// The session of a person who has just given all factors: its statements for the transaction, and its cookies.
///
/// It always has a new ID and a new secret, which no request can choose (session fixation). The earlier session of the browser ends, even if
/// it is another person's.
struct NewSession: Sendable {
    let id: ID<PersonSession>
    /// The statements that start the session. Audit events name only sessions that exist, so these come before all events.
    let start: [SQL]
    /// The audit event of the sign-in, the last statement of the transaction.
    let event: SQL
    /// For a transaction without other events.
    var statements: [SQL] { start + [event] }
    /// The person as the actor, in this session.
    let origin: AuditEvent.Origin
    let cookies: [String]

    private struct Reply: Encodable {
        let session: String
        let methods: [String]
        let factor: SecondFactors.Kind?
    }

    /// - Parameters:
    ///   - passwordChangedAt: when the account got its password. Nil without one.
    ///   - methods: how the person signed in (RFC 8176).
    ///   - factor: which second factor it was. RFC 8176 has no value for recovery codes.
    ///   - onlyTenant: the tenant whose own provider signs the person in. The session acts for no other owner.
    ///   - authenticatedAt: when the person gave the factors, if that was earlier.
    ///   - action: the `operationId` for the audit trail of the platform.
    init(
        of person: ID<Person>, passwordChangedAt: Date?, methods: [String], factor: SecondFactors.Kind? = nil,
        onlyTenant: ID<Tenant>? = nil,
        authenticatedAt: Date? = nil, action: String, _ request: Request, _ context: WebContext, _ endpoints: AccountEndpoints, at now: Date
    ) throws {
        var random = SystemRandomNumberGenerator()
        let (secret, device) = (PersonSession.makeSecret(using: &random), Device(request, context))
        id = ID(at: now)
        let session = PersonSession.New(
            id, of: person, .browser, methods: methods, onlyTenant: onlyTenant, authenticatedAt: authenticatedAt,
            userAgent: device.userAgent, address: device.address)
        let facts = context.record.current
        origin = AuditEvent.Origin(actor: person.description, address: facts.address, requestID: facts.requestID, session: id)
        let earlier = endpoints.sessionDigests(in: request)
        start =
            (earlier.isEmpty ? [] : [PersonSession.replace(digests: earlier, at: now)]) + [
                session.insert(secret, keyring: endpoints.keyring, at: now)
            ]
        event = try AuditEvent.insert(
            action, of: person.description, owner: .platform, by: origin,
            after: Reply(session: id.description, methods: methods, factor: factor), at: now)
        let url = endpoints.publicURL
        let lifetime = Int(PersonSession.lifetime(of: .browser, onlyTenant: onlyTenant))
        var cookies = [
            AccountCookie.session.set(secret.reveal(), seconds: lifetime, publicURL: url),
            AccountCookie.step.removal(url),
        ]
        // A provider of a tenant must not prepare guesses of the password, which is for more than this tenant.
        if onlyTenant == nil { cookies.append(KnownBrowser.cookie(of: person, passwordChangedAt: passwordChangedAt, endpoints)) }
        self.cookies = cookies
    }
}
