import APIs
import Access
import BrowserSessions
import ClientKeys
import Crypto
import Encoding
import Foundation
import Sealing
import Sessions
import Tenancy
import Users

/// An authorization request that waits for the user's decision about an application of a third party. It is sealed into the form of the
/// page, and is not a row. It counts only together with the cookie of the same browser session.
///
/// The state of the request can be longer than a token of the keyring. So the form has it in another field, and the ticket has its digest.
struct ConsentTicket: Sendable {
    static let lifetime: TimeInterval = 15 * 60
    private static let purpose = "consent_ticket"
    /// How many bytes the fields may have. One token of the keyring holds as many.
    private static let room = 3000

    let tenant: ID<Tenant>
    let session: ID<BrowserSession>
    let user: ID<User>
    let application: ID<Application>
    private let redirectURI: String
    private let mode: ReturnAddress.Mode
    private let nonce: String?
    private let scope: String
    private let apis: [ID<API>]
    private let codeChallenge: String?
    private let key: KeyThumbprint?
    private let maxAge: Int?
    private let stateDigest: [UInt8]
    let askedAt: Date

    enum Refusal: Error {
        case unreadable, expired
    }

    init(_ asked: AuthorizationRequest, _ session: ID<BrowserSession>, of user: ID<User>, _ tenant: ID<Tenant>, at now: Date) {
        (self.tenant, self.session, self.user, application, askedAt) = (tenant, session, user, asked.application.id, now)
        let address = asked.returnAddress
        (redirectURI, mode, stateDigest) = (address.redirectURI, address.mode, Self.digest(address.state))
        (nonce, scope, apis) = (asked.nonce, asked.scope, asked.apis)
        (codeChallenge, key, maxAge) = (asked.codeChallenge, asked.key, asked.maxAge)
    }

    /// The token, or nil if the request is too long for one.
    func sealed(with keyring: Keyring) -> String? {
        var fields = FieldWriter()
        fields.write(tenant.uuid)
        fields.write(session.uuid)
        fields.write(user.uuid)
        fields.write(application.uuid)
        fields.write(redirectURI)
        fields.write(mode.rawValue)
        fields.write(nonce)
        fields.write(scope)
        fields.write(codeChallenge)
        fields.write(key?.text)
        fields.write(maxAge.map(String.init))
        fields.write(stateDigest)
        fields.write(askedAt)
        for api in apis { fields.write(api.uuid) }
        return fields.bytes.count <= Self.room ? keyring.sealToken(fields.bytes, purpose: Self.purpose) : nil
    }

    init(opening sealed: String, of expected: ID<Tenant>, with keyring: Keyring, at now: Date) throws(Refusal) {
        do {
            var fields = FieldReader(try keyring.openToken(sealed, purpose: Self.purpose))
            tenant = ID(try fields.uuid())
            session = ID(try fields.uuid())
            user = ID(try fields.uuid())
            application = ID(try fields.uuid())
            redirectURI = try fields.string()
            guard let mode = ReturnAddress.Mode(rawValue: try fields.string()) else { throw Refusal.unreadable }
            self.mode = mode
            nonce = try fields.optionalString()
            scope = try fields.string()
            codeChallenge = try fields.optionalString()
            key = try fields.optionalString().flatMap { KeyThumbprint($0) }
            maxAge = try fields.optionalString().flatMap { Int($0) }
            stateDigest = try fields.bytes()
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
        guard constantTimeEqual(Self.digest(state), stateDigest), application.mayRedirect(to: redirectURI) else { return nil }
        return AuthorizationRequest(
            of: application, at: ReturnAddress(redirectURI: redirectURI, mode: mode, state: state, issuer: issuer), scope: scope,
            apis: apis,
            nonce: nonce, codeChallenge: codeChallenge, key: key, maxAge: maxAge)
    }

    private static func digest(_ state: String?) -> [UInt8] {
        state.map { Array(SHA256.hash(data: Data($0.utf8))) } ?? []
    }
}
