import Access
import Encoding
import Foundation
import Sealing
import Sessions
import Tenancy

/// A sign-in that waits for the user's name. It is sealed into the form of the page, and is not a row.
///
/// The code of the sign-in is in another field of the form, sealed for this ticket.
struct NameTicket: Sendable {
    static let lifetime: TimeInterval = 15 * 60
    private static let purpose = "name_ticket"
    /// How many bytes the fields may have. One token of the keyring holds as many.
    private static let room = 3000

    let tenant: ID<Tenant>
    let application: ID<Application>
    let login: ID<LoginID>
    /// SHA-256 of the cookie of the login attempt. Nil if the session of the browser signed the user in.
    private let browser: [UInt8]?
    /// SHA-256 of Apple's code. Nil if the session of the browser signed the user in.
    private let appleCode: [UInt8]?
    private let address: WaitingAddress
    /// The maximum age of Apple's authentication of the user, in seconds, for another sign-in with Apple.
    let maxAge: Int?
    let askedAt: Date

    enum Refusal: Error, Equatable {
        case unreadable
        case expired(ID<Application>)
    }

    /// The response of Apple to a login attempt.
    struct AppleSignIn {
        /// The value of the cookie of the attempt.
        let secret: String
        /// Apple's code.
        let code: String
    }

    /// - Parameter signIn: nil if the session of the browser signed the user in.
    init(_ code: AuthorizationCode, to address: ReturnAddress, after signIn: AppleSignIn?, maxAge: Int?, at now: Date) {
        (tenant, application, login, askedAt, self.maxAge) = (code.tenant, code.application, code.login, now, maxAge)
        (browser, appleCode) = (signIn.map { LoginAttempt.hash($0.secret) }, signIn.map { LoginAttempt.hash($0.code) })
        self.address = WaitingAddress(address)
    }

    /// The name of the page for which the code is sealed.
    var page: String { "name/\(login)" }

    /// The token, or nil if the redirect URI is too long for one.
    func sealed(with keyring: Keyring) -> String? {
        var fields = FieldWriter()
        fields.write(tenant.uuid)
        fields.write(application.uuid)
        fields.write(login.uuid)
        fields.write(browser ?? [])
        fields.write(appleCode ?? [])
        address.write(to: &fields)
        fields.write(maxAge.map(String.init))
        fields.write(askedAt)
        return fields.bytes.count <= Self.room ? keyring.sealToken(fields.bytes, purpose: Self.purpose) : nil
    }

    init(opening sealed: String, of expected: ID<Tenant>, with keyring: Keyring, at now: Date) throws(Refusal) {
        do {
            var fields = FieldReader(try keyring.openToken(sealed, purpose: Self.purpose))
            tenant = ID(try fields.uuid())
            application = ID(try fields.uuid())
            login = ID(try fields.uuid())
            let (browser, appleCode) = (try fields.bytes(), try fields.bytes())
            (self.browser, self.appleCode) = (browser.isEmpty ? nil : browser, appleCode.isEmpty ? nil : appleCode)
            address = try WaitingAddress(from: &fields)
            maxAge = try fields.optionalString().flatMap { Int($0) }
            askedAt = try fields.date()
        } catch { throw .unreadable }
        guard tenant == expected else { throw .unreadable }
        guard now < askedAt.addingTimeInterval(Self.lifetime) else { throw .expired(application) }
    }

    /// Whether the session of the browser signed the user in, so that its cookie proves the browser. Otherwise that of the attempt does.
    var isSilent: Bool { browser == nil }

    /// Whether the browser that the page asked has one of these cookies of the login attempt.
    func isForBrowser(with secrets: [String]) -> Bool {
        guard let browser else { return false }
        return secrets.contains { constantTimeEqual(LoginAttempt.hash($0), browser) }
    }

    /// Whether the page was the response to this code of Apple. Each later sign-in of the same attempt has another one.
    func follows(appleCode code: String) -> Bool {
        guard let appleCode else { return false }
        return constantTimeEqual(LoginAttempt.hash(code), appleCode)
    }

    /// The address of the application. Nil if the state is another one, or the application no longer has the address.
    func returnAddress(of application: Application, state: String?, issuer: String) -> ReturnAddress? {
        address.returnAddress(of: application, state: state, issuer: issuer)
    }
}
