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

/// A login between authorize and callback. Its fields are sealed into the `state` that Apple returns. Espalier stores none of them.
///
/// Apple's URL has room for one token of the keyring. The end of a long application state goes into cookies of the same browser. Each part
/// is sealed for this attempt and its position.
struct LoginAttempt: Sendable {
    static let lifetime: TimeInterval = 15 * 60
    private static let purpose = "login_attempt"
    /// An attempt with a key has a purpose of its own, because a server of the previous version would ignore the key.
    private static let purposeWithKey = "login_attempt_with_key"
    /// The same for an attempt in a browser with a session, with a key or without.
    private static let purposeOfBrowser = "login_attempt_of_browser"
    /// The same for an attempt at an own host of the tenant, with a key or a session or without.
    private static let purposeAtHost = "login_attempt_at_host"
    /// How many bytes go into Apple's URL. One token of the keyring holds as many.
    private static let room = 3000
    /// How many of these bytes the fields need, without redirect URI, nonce, state, and what APIs add. Without APIs, the limits of redirect
    /// URI and nonce always leave some room.
    private static let fieldsAtMost = 290
    /// How many of these are for the scope. A scope with those of an API may be longer.
    private static let scopeInFields = 40
    /// How many bytes an API's ID needs.
    private static let apiLength = 20
    /// How many bytes a key needs.
    private static let keyLength = 47
    /// How many bytes the session of a browser needs.
    private static let browserLength = 20
    /// Each follows the delivery of such an attempt. A server of an older version rejects the attempt.
    private static let (linkMark, consentMark) = (" link", " consent")
    /// How many bytes a host and the marks of optional fields need, without the host itself.
    private static let hostLength = 10
    /// How many bytes of the state go into one cookie. Sealed and with its name, a cookie stays below 4096 bytes, the limit of browsers.
    private static let partLength = 2600

    let login: ID<LoginID>
    let tenant: ID<Tenant>
    let connection: ID<Connection>
    let application: ID<Application>
    let redirectURI: String
    let responseMode: ReturnAddress.Mode
    /// The application's state and nonce, returned unchanged.
    let state: String?
    let nonce: String?
    let scope: String
    /// The APIs that the sign-in is for.
    let apis: [ID<API>]
    let codeChallenge: String?
    /// The key that the token request must prove.
    let key: KeyThumbprint?
    /// The maximum age of Apple's authentication of the user, in seconds.
    let maxAge: Int?
    /// The nonce that Apple must put into its id_token.
    let appleNonce: String
    /// SHA-256 of the cookie that only the browser that started the attempt has.
    let browser: [UInt8]
    let startedAt: Date
    /// The result of the login that the application receives.
    let delivery: Delivery
    /// Whether an identity waits for the sign-in (`signInToLink`). Without its cookie, the application learns that nothing was linked.
    let isLinking: Bool
    /// Whether a page asks every user of an application of a third party (`prompt=consent`).
    let asksConsent: Bool
    /// The session that the browser had at the start. Browsers do not send its cookie with Apple's form.
    let earlierSession: ID<BrowserSession>?
    /// The own host of the tenant at which the attempt started. Nil at the public URL. It ends at the same address.
    let host: String?

    enum Delivery: String, Sendable {
        case code
        /// A code of a protocol whose token request does not repeat the redirect URI.
        case codeWithoutURI = "code_without_uri"
        /// The tokens, in the URL of the redirect.
        case tokens
        /// The sealed login, for the page on which the user approves a device. A server of an older version rejects the attempt.
        case device
        /// No login: the identity is added to a user, after a page has asked. A server of an older version rejects the attempt.
        case identity

        /// Whether the application gets a code.
        var isCode: Bool { self == .code || self == .codeWithoutURI }
    }

    enum Refusal: Error, Equatable {
        /// Espalier did not seal it, or it was altered.
        case unreadable
        case expired(Place)
        /// The browser lacks the cookies with the end of the state.
        case stateMissing(Place)

        var place: Place? {
            switch self {
            case .unreadable: nil
            case .expired(let place), .stateMissing(let place): place
            }
        }
    }

    /// The token for Apple's URL.
    func sealed(with keyring: Keyring) -> String {
        var fields = FieldWriter()
        if let host {
            fields.write(host)
            fields.write(earlierSession == nil ? "" : "session")
        }
        if let earlierSession { fields.write(earlierSession.uuid) }
        if host != nil || earlierSession != nil { fields.write(key == nil ? "" : "key") }
        fields.write(login.uuid)
        fields.write(tenant.uuid)
        fields.write(connection.uuid)
        fields.write(application.uuid)
        fields.write(redirectURI)
        fields.write(responseMode.rawValue)
        fields.write(Array((state ?? "").utf8.prefix(stateBytesInURL)))
        fields.write(nonce)
        fields.write(scope)
        fields.write(codeChallenge)
        fields.write(maxAge.map(String.init))
        fields.write(appleNonce)
        fields.write(browser)
        fields.write(startedAt)
        // Written only if needed, so that servers of the previous version can read all other attempts.
        let hasMore = delivery != .code || !marks.isEmpty || !apis.isEmpty || key != nil
        if stateBytesInCookies > 0 || hasMore { fields.write(String(stateBytesInCookies)) }
        if hasMore { fields.write(delivery.rawValue + marks) }
        if let key { fields.write(key.text) }
        for api in apis { fields.write(api.uuid) }
        let purpose =
            host != nil
            ? Self.purposeAtHost : earlierSession != nil ? Self.purposeOfBrowser : key == nil ? Self.purpose : Self.purposeWithKey
        return keyring.sealToken(fields.bytes, purpose: purpose)
    }

    /// The tokens for the cookies. Most attempts have none.
    func sealedParts(with keyring: Keyring) -> [String] {
        guard stateBytesInCookies > 0 else { return [] }
        let end = Array((state ?? "").utf8.dropFirst(stateBytesInURL))
        return (0..<Self.parts(of: end.count)).map { number in
            let part = Array(end[(number * Self.partLength)...].prefix(Self.partLength))
            return keyring.sealToken(part, purpose: Self.purpose(ofPart: number, of: login))
        }
    }

    var partsInCookies: Int { Self.parts(of: stateBytesInCookies) }

    private static func parts(of count: Int) -> Int { (count + partLength - 1) / partLength }

    /// A part opens only at its position in its attempt.
    private static func purpose(ofPart number: Int, of login: ID<LoginID>) -> String {
        "\(purpose)_state/\(login)/\(number)"
    }

    private var stateBytesInURL: Int { min((state ?? "").utf8.count, max(0, room)) }

    /// How many bytes the fields leave for the state.
    private var room: Int {
        Self.room - Self.fieldsAtMost - redirectURI.utf8.count - (nonce ?? "").utf8.count
            - max(0, scope.utf8.count - Self.scopeInFields) - apis.count * Self.apiLength - (key == nil ? 0 : Self.keyLength)
            - (earlierSession == nil ? 0 : Self.browserLength) - marks.utf8.count
            - (host.map { Self.hostLength + $0.utf8.count } ?? 0)
    }

    private var marks: String { (isLinking ? Self.linkMark : "") + (asksConsent ? Self.consentMark : "") }

    /// Whether its fields fit into Apple's URL.
    var fits: Bool { room >= 0 }

    private var stateBytesInCookies: Int { (state ?? "").utf8.count - stateBytesInURL }

    /// - Parameter parts: the values that the browser sends under the name of this part of the state.
    init(
        opening sealed: String, with keyring: Keyring, at now: Date, parts: (ID<LoginID>, Int) -> [String] = { _, _ in [] }
    ) throws(Refusal) {
        var stateBytes: [UInt8]
        let missing: Int
        do {
            var (fields, kind) = try FieldReader.open(
                sealed, with: keyring, purposes: [Self.purpose, Self.purposeWithKey, Self.purposeOfBrowser, Self.purposeAtHost])
            host = kind == 3 ? try fields.string() : nil
            let hasSession = kind == 2 ? true : kind == 3 ? try fields.string() == "session" : false
            earlierSession = hasSession ? ID(try fields.uuid()) : nil
            let hasKey = kind == 1 ? true : kind >= 2 ? try fields.string() == "key" : false
            login = ID(try fields.uuid())
            tenant = ID(try fields.uuid())
            connection = ID(try fields.uuid())
            application = ID(try fields.uuid())
            redirectURI = try fields.string()
            guard let mode = ReturnAddress.Mode(rawValue: try fields.string()) else { throw Refusal.unreadable }
            responseMode = mode
            stateBytes = try fields.bytes()
            nonce = try fields.optionalString()
            scope = try fields.string()
            codeChallenge = try fields.optionalString()
            maxAge = try fields.optionalString().flatMap { Int($0) }
            appleNonce = try fields.string()
            browser = try fields.bytes()
            startedAt = try fields.date()
            missing = fields.isAtEnd ? 0 : Int(try fields.string()) ?? -1
            let words = (fields.isAtEnd ? Delivery.code.rawValue : try fields.string()).parts(at: " ")
            guard let sealedDelivery = words.first.flatMap({ Delivery(rawValue: String($0)) }) else { throw Refusal.unreadable }
            delivery = sealedDelivery
            isLinking = words.dropFirst().contains { Self.linkMark.dropFirst().isSame(as: $0) }
            asksConsent = words.dropFirst().contains { Self.consentMark.dropFirst().isSame(as: $0) }
            key = hasKey ? KeyThumbprint(try fields.string()) : nil
            guard (key != nil) == hasKey else { throw Refusal.unreadable }
            var apis: [ID<API>] = []
            while !fields.isAtEnd { apis.append(ID(try fields.uuid())) }
            self.apis = apis
        } catch {
            throw .unreadable
        }
        guard (0...AuthorizationRequest.longestState).contains(missing) else { throw .unreadable }
        let place = Place(tenant: tenant, connection: connection, application: application, host: host)
        guard now < startedAt.addingTimeInterval(Self.lifetime) else { throw .expired(place) }
        let length = stateBytes.count + missing
        for number in 0..<Self.parts(of: missing) {
            let purpose = Self.purpose(ofPart: number, of: login)
            // Only Espalier's value opens if there are several.
            guard let part = parts(login, number).lazy.compactMap({ try? keyring.openToken($0, purpose: purpose) }).first
            else { throw .stateMissing(place) }
            stateBytes += part
        }
        guard stateBytes.count == length else { throw .stateMissing(place) }
        state = stateBytes.isEmpty ? nil : String(decoding: stateBytes, as: UTF8.self)
    }

    /// The start of an attempt at an own host of a tenant.
    struct Origin {
        let host: String
        let login: ID<LoginID>
        let tenant: ID<Tenant>
        let redirectURI: String
    }

    /// The start of a sealed attempt at an own host. The parts of the state in cookies are not needed. Nil for an attempt at the public URL,
    /// and for every other text.
    static func origin(of sealed: String, with keyring: Keyring) -> Origin? {
        do {
            var (fields, _) = try FieldReader.open(sealed, with: keyring, purposes: [purposeAtHost])
            let host = try fields.string()
            if try fields.string() == "session" { _ = try fields.uuid() }
            // The mark of the key.
            _ = try fields.string()
            let (login, tenant) = (try fields.uuid(), try fields.uuid())
            // The connection and the application.
            _ = (try fields.uuid(), try fields.uuid())
            return Origin(host: host, login: ID(login), tenant: ID(tenant), redirectURI: try fields.string())
        } catch {
            return nil
        }
    }

    init(
        _ request: AuthorizationRequest, delivering delivery: Delivery = .code, tenant: ID<Tenant>, connection: ID<Connection>,
        browserSecret: String, earlierSession: ID<BrowserSession>? = nil, atHost host: String? = nil, at now: Date
    ) {
        (self.earlierSession, self.host) = (earlierSession, host)
        (self.delivery, isLinking, asksConsent) = (delivery, false, request.asksConsent)
        login = ID(at: now)
        (self.tenant, self.connection, application) = (tenant, connection, request.application.id)
        let address = request.returnAddress
        (redirectURI, responseMode, state) = (address.redirectURI, address.mode, address.state)
        (nonce, scope, apis) = (request.nonce, request.scope, request.apis)
        (codeChallenge, key, maxAge) = (request.codeChallenge, request.key, request.maxAge)
        startedAt = now
        appleNonce = RandomText.make()
        browser = Self.hash(browserSecret)
    }

    /// A new attempt for the same request.
    func again(through connection: ID<Connection>, browserSecret: String, isLinking: Bool = false, at now: Date) -> LoginAttempt {
        LoginAttempt(self, through: connection, browserSecret: browserSecret, isLinking: isLinking, at: now)
    }

    private init(_ earlier: LoginAttempt, through connection: ID<Connection>, browserSecret: String, isLinking: Bool, at now: Date) {
        (earlierSession, host, delivery) = (earlier.earlierSession, earlier.host, earlier.delivery)
        (self.isLinking, asksConsent) = (isLinking, earlier.asksConsent)
        login = ID(at: now)
        (tenant, self.connection, application) = (earlier.tenant, connection, earlier.application)
        (redirectURI, responseMode, state) = (earlier.redirectURI, earlier.responseMode, earlier.state)
        (nonce, scope, apis) = (earlier.nonce, earlier.scope, earlier.apis)
        (codeChallenge, key, maxAge) = (earlier.codeChallenge, earlier.key, earlier.maxAge)
        startedAt = now
        appleNonce = RandomText.make()
        browser = Self.hash(browserSecret)
    }

    func returnAddress(issuer: String) -> ReturnAddress {
        ReturnAddress(redirectURI: redirectURI, mode: responseMode, state: state, issuer: issuer)
    }

    /// Whether Apple authenticated the user recently enough for `max_age`. The age counts back from the start of the attempt, so the time
    /// that a person spends at Apple does not count. Apple's clock may be ten seconds behind Espalier's.
    func accepts(authenticatedAt time: Date) -> Bool {
        guard let maxAge else { return true }
        return time >= startedAt.addingTimeInterval(-TimeInterval(maxAge) - 10)
    }

    /// Whether this browser started the attempt. Otherwise an attacker could sign another person in as the attacker (RFC 6819, section
    /// 4.4.1.8).
    /// - Parameter secrets: the values that the browser sends under the cookie's name. One correct value is enough.
    /// - Returns: the correct value. Nil if there is none.
    func secret(ofBrowserWith secrets: [String]) -> String? {
        secrets.first { constantTimeEqual(Self.hash($0), browser) }
    }

    static func hash(_ text: String) -> [UInt8] {
        Array(SHA256.hash(data: Data(text.utf8)))
    }
}

extension AuthorizationCode {
    init(
        _ attempt: LoginAttempt, user: ID<User>, vouched: Identity.Vouched? = nil, connection: Connection.Ownership, authenticatedAt: Date,
        device: Device = Device(), at now: Date
    ) {
        self.init(
            login: attempt.login, tenant: attempt.tenant, application: attempt.application, user: user, vouched: vouched,
            connection: connection,
            redirectURI: attempt.delivery == .codeWithoutURI ? nil : attempt.redirectURI,
            codeChallenge: attempt.codeChallenge, nonce: attempt.nonce, scope: attempt.scope,
            apis: attempt.apis, key: attempt.key, authenticatedAt: authenticatedAt, device: device, at: now)
    }
}
