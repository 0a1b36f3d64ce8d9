import APIs
import Access
import BrowserSessions
import ClientKeys
import Encoding
import Foundation
import Sealing
import Sessions
import Tenancy
import Users

/// An authorization request that waits for the user's decision about an application of a third party. It is sealed into the form of the
/// page, and is not a row. It counts only together with the cookie of the same browser session.
struct ConsentTicket: Sendable {
    static let lifetime: TimeInterval = 15 * 60
    /// A request that asks in any case has a purpose of its own.
    private static let purposes = ["consent_ticket", "consent_ticket_always"]
    /// How many bytes the fields may have. One token of the keyring holds as many.
    private static let room = 3000

    let tenant: ID<Tenant>
    let session: ID<BrowserSession>
    let user: ID<User>
    let application: ID<Application>
    private let address: WaitingAddress
    private let nonce: String?
    private let scope: String
    private let apis: [ID<API>]
    private let codeChallenge: String?
    private let key: KeyThumbprint?
    private let maxAge: Int?
    /// Whether the request asks every user (`prompt=consent`), also after a sign-in with another Apple Account.
    private let asksConsent: Bool
    let askedAt: Date

    enum Refusal: Error {
        case unreadable, expired
    }

    init(_ asked: AuthorizationRequest, _ session: ID<BrowserSession>, of user: ID<User>, _ tenant: ID<Tenant>, at now: Date) {
        (self.tenant, self.session, self.user, application, askedAt) = (tenant, session, user, asked.application.id, now)
        address = WaitingAddress(asked.returnAddress)
        (nonce, scope, apis) = (asked.nonce, asked.scope, asked.apis)
        (codeChallenge, key, maxAge, asksConsent) = (asked.codeChallenge, asked.key, asked.maxAge, asked.asksConsent)
    }

    /// The token, or nil if the request is too long for one.
    func sealed(with keyring: Keyring) -> String? {
        var fields = FieldWriter()
        fields.write(tenant.uuid)
        fields.write(session.uuid)
        fields.write(user.uuid)
        fields.write(application.uuid)
        address.write(to: &fields)
        fields.write(nonce)
        fields.write(scope)
        fields.write(codeChallenge)
        fields.write(key?.text)
        fields.write(maxAge.map(String.init))
        fields.write(askedAt)
        for api in apis { fields.write(api.uuid) }
        return fields.bytes.count <= Self.room ? keyring.sealToken(fields.bytes, purpose: Self.purposes[asksConsent ? 1 : 0]) : nil
    }

    init(opening sealed: String, of expected: ID<Tenant>, with keyring: Keyring, at now: Date) throws(Refusal) {
        do {
            var (fields, purpose) = try FieldReader.open(sealed, with: keyring, purposes: Self.purposes)
            asksConsent = purpose == 1
            tenant = ID(try fields.uuid())
            session = ID(try fields.uuid())
            user = ID(try fields.uuid())
            application = ID(try fields.uuid())
            address = try WaitingAddress(from: &fields)
            nonce = try fields.optionalString()
            scope = try fields.string()
            codeChallenge = try fields.optionalString()
            key = try fields.optionalString().flatMap { KeyThumbprint($0) }
            maxAge = try fields.optionalString().flatMap { Int($0) }
            askedAt = try fields.date()
            var apis: [ID<API>] = []
            while !fields.isAtEnd { apis.append(ID(try fields.uuid())) }
            self.apis = apis
        } catch { throw .unreadable }
        guard tenant == expected else { throw .unreadable }
        guard now < askedAt.addingTimeInterval(Self.lifetime) else { throw .expired }
    }

    /// The request that waits. Nil if the state is another one, or the application no longer has the address.
    func request(from application: Application, state: String?, issuer: String) -> AuthorizationRequest? {
        guard let address = address.returnAddress(of: application, state: state, issuer: issuer) else { return nil }
        return AuthorizationRequest(
            of: application, at: address, scope: scope, apis: apis, nonce: nonce, codeChallenge: codeChallenge, key: key, maxAge: maxAge,
            asksConsent: asksConsent)
    }
}
