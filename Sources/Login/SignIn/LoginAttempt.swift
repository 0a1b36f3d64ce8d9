import Foundation
import Crypto
import Sealing
import Tenancy

/// A login, whose id the session and the usage event will carry.
package enum LoginID: Identified {
    package static let idPrefix = "login"
}

/// A login between authorize and callback: all we shall need to know, sealed into the `state` that
/// Apple hands back. Nothing of it is stored here.
struct LoginAttempt: Sendable {
    static let lifetime: TimeInterval = 15 * 60
    private static let purpose = "login_attempt"

    let login: ID<LoginID>
    let tenant: ID<Tenant>
    let connection: ID<Connection>
    let application: ID<Application>
    let redirectURI: String
    let responseMode: ReturnAddress.Mode
    /// The application's own state and nonce, given back to it untouched.
    let state: String?
    let nonce: String?
    let scope: String
    let codeChallenge: String?
    /// How long ago, in seconds, Apple may have authenticated the user.
    let maxAge: Int?
    /// What Apple must put into its id_token.
    let appleNonce: String
    /// SHA-256 of the cookie that only the browser that began has.
    let browser: [UInt8]
    let startedAt: Date

    enum Refusal: String, Error {
        /// Not sealed by us, or altered.
        case unreadable
        case expired
    }

    func sealed(with keyring: Keyring) -> String {
        var fields = FieldWriter()
        fields.write(login.uuid)
        fields.write(tenant.uuid)
        fields.write(connection.uuid)
        fields.write(application.uuid)
        fields.write(redirectURI)
        fields.write(responseMode.rawValue)
        fields.write(state)
        fields.write(nonce)
        fields.write(scope)
        fields.write(codeChallenge)
        fields.write(maxAge.map(String.init))
        fields.write(appleNonce)
        fields.write(browser)
        fields.write(startedAt)
        return keyring.sealToken(fields.bytes, purpose: Self.purpose)
    }

    init(opening sealed: String, with keyring: Keyring, at now: Date) throws(Refusal) {
        do {
            var fields = FieldReader(try keyring.openToken(sealed, purpose: Self.purpose))
            login = ID(try fields.uuid())
            tenant = ID(try fields.uuid())
            connection = ID(try fields.uuid())
            application = ID(try fields.uuid())
            redirectURI = try fields.string()
            guard let mode = ReturnAddress.Mode(rawValue: try fields.string()) else { throw Refusal.unreadable }
            responseMode = mode
            state = try fields.optionalString()
            nonce = try fields.optionalString()
            scope = try fields.string()
            codeChallenge = try fields.optionalString()
            maxAge = try fields.optionalString().flatMap { Int($0) }
            appleNonce = try fields.string()
            browser = try fields.bytes()
            startedAt = try fields.date()
        } catch {
            throw .unreadable
        }
        guard now < startedAt.addingTimeInterval(Self.lifetime) else { throw .expired }
    }

    init(
        _ request: AuthorizationRequest, tenant: ID<Tenant>, connection: ID<Connection>, browserSecret: String, at now: Date
    ) {
        login = ID(at: now)
        (self.tenant, self.connection, application) = (tenant, connection, request.application.id)
        let address = request.returnAddress
        (redirectURI, responseMode, state) = (address.redirectURI, address.mode, address.state)
        (nonce, scope, codeChallenge, maxAge) = (request.nonce, request.scope, request.codeChallenge, request.maxAge)
        startedAt = now
        appleNonce = Self.randomText()
        browser = Self.hash(browserSecret)
    }

    func returnAddress(issuer: String) -> ReturnAddress {
        ReturnAddress(redirectURI: redirectURI, mode: responseMode, state: state, issuer: issuer)
    }

    /// Whether Apple authenticated the user lately enough for `max_age`, counted back from when the attempt began: the time that
    /// a person takes at Apple makes nothing old. Apple's clock may be ten seconds behind ours.
    func accepts(authenticatedAt time: Date) -> Bool {
        guard let maxAge else { return true }
        return time >= startedAt.addingTimeInterval(-TimeInterval(maxAge) - 10)
    }

    /// Whether this browser began the attempt (RFC 6819, section 4.4.1.8: else a stranger could sign
    /// somebody in as himself).
    func wasStarted(byBrowserWith secret: String?) -> Bool {
        guard let secret else { return false }
        return constantTimeEqual(Self.hash(secret), browser)
    }

    private static func hash(_ text: String) -> [UInt8] {
        Array(SHA256.hash(data: Data(text.utf8)))
    }

    /// 128 random bits in 22 characters.
    static func randomText() -> String {
        var random = SystemRandomNumberGenerator()
        return withUnsafeBytes(of: (random.next() as UInt64, random.next() as UInt64)) { Array($0).base64URL }
    }
}
