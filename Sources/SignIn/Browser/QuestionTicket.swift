import Access
import Encoding
import Foundation
import Sealing
import Sessions
import Tenancy

/// A sign-in that waits for an answer of the person: about an application of a third party, or for the user's name. It is sealed into the
/// form of the page, and is not a row.
///
/// The code of the sign-in is in another field of the form, sealed for this ticket.
struct QuestionTicket: Sendable {
    /// The page that asks. It is the purpose of the seal, so the form of one page is of no use to another one.
    enum Page: String, CaseIterable, Sendable {
        case consent, name

        fileprivate var purpose: String {
            switch self {
            // A request that waits for consent, without a sign-in of its own, is a `ConsentTicket`.
            case .consent: "consent_question"
            case .name: "name_ticket"
            }
        }
    }

    static let lifetime: TimeInterval = 15 * 60
    /// How many bytes the fields may have. One token of the keyring holds as many.
    private static let room = 3000

    private(set) var page: Page
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
    /// The kind of code that the application gets. The page for the name is only for `.code`.
    let delivery: LoginAttempt.Delivery
    /// Whether the request asks every user of an application of a third party (`prompt=consent`), for another sign-in with Apple.
    let asksConsent: Bool
    /// The own host of the tenant at which the sign-in started. Nil at the public URL. It ends at the same address.
    let host: String?
    private(set) var askedAt: Date

    enum Refusal: Error, Equatable {
        case unreadable
        case expired(ID<Application>)
    }

    /// The response of Apple to a login attempt.
    struct AppleSignIn {
        /// The value of the cookie of the attempt.
        let secret: String
        /// SHA-256 of Apple's code.
        let codeHash: [UInt8]
    }

    /// - Parameter signIn: nil if the session of the browser signed the user in.
    init(
        _ page: Page, _ code: AuthorizationCode, to address: ReturnAddress, after signIn: AppleSignIn?, maxAge: Int?,
        delivery: LoginAttempt.Delivery = .code, asksConsent: Bool = false, atHost host: String? = nil, at now: Date
    ) {
        (self.page, self.delivery, self.asksConsent, self.host) = (page, delivery, asksConsent, host)
        (tenant, application, login, askedAt, self.maxAge) = (code.tenant, code.application, code.login, now, maxAge)
        (browser, appleCode) = (signIn.map { LoginAttempt.hash($0.secret) }, signIn?.codeHash)
        self.address = WaitingAddress(address)
    }

    /// The ticket for the next page about the same sign-in, or for the same page again.
    func asking(_ page: Page, at now: Date) -> QuestionTicket {
        var next = self
        (next.page, next.askedAt) = (page, now)
        return next
    }

    /// The place for which the code is sealed: one page of one login.
    var place: String { "\(page.rawValue)/\(login)" }

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
        if page == .consent { fields.write(delivery.rawValue) }
        // The rest is written only if needed, so that servers of the previous version can read all other tickets.
        if page == .consent || asksConsent || host != nil { fields.write(asksConsent ? "always" : "") }
        if let host { fields.write(host) }
        return fields.bytes.count <= Self.room ? keyring.sealToken(fields.bytes, purpose: page.purpose) : nil
    }

    init(opening sealed: String, of expected: ID<Tenant>, with keyring: Keyring, at now: Date) throws(Refusal) {
        do {
            var (fields, place) = try FieldReader.open(sealed, with: keyring, purposes: Page.allCases.map(\.purpose))
            page = Page.allCases[place]
            tenant = ID(try fields.uuid())
            application = ID(try fields.uuid())
            login = ID(try fields.uuid())
            let (browser, appleCode) = (try fields.bytes(), try fields.bytes())
            (self.browser, self.appleCode) = (browser.isEmpty ? nil : browser, appleCode.isEmpty ? nil : appleCode)
            address = try WaitingAddress(from: &fields)
            maxAge = try fields.optionalString().flatMap { Int($0) }
            askedAt = try fields.date()
            guard let delivery = page == .consent ? LoginAttempt.Delivery(rawValue: try fields.string()) : .code
            else { throw Refusal.unreadable }
            self.delivery = delivery
            asksConsent = fields.isAtEnd ? false : try fields.string() == "always"
            host = fields.isAtEnd ? nil : try fields.string()
        } catch { throw .unreadable }
        guard tenant == expected else { throw .unreadable }
        guard now < askedAt.addingTimeInterval(Self.lifetime) else { throw .expired(application) }
    }

    /// Whether the session of the browser signed the user in, so that its cookie proves the browser. Otherwise that of the attempt does.
    var isSilent: Bool { browser == nil }

    /// The cookie of the login attempt, if the browser that the page asked sends it.
    func secret(ofBrowserWith secrets: [String]) -> String? {
        guard let browser else { return nil }
        return secrets.first { constantTimeEqual(LoginAttempt.hash($0), browser) }
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
