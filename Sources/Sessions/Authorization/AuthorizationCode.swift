package import APIs
package import Access
package import BrowserSessions
package import ClientKeys
import Crypto
package import Encoding
package import Foundation
package import Sealing
package import Tenancy
package import Users

/// The value that an application redeems for tokens, once. It is sealed and not a row. The primary key of the session ensures that it is
/// redeemed only once.
package struct AuthorizationCode: Sendable {
    package static let lifetime: TimeInterval = 60
    /// How many bytes the fields may have. One token of the keyring holds as many.
    private static let room = 3000

    package let login: ID<LoginID>
    package let tenant: ID<Tenant>
    package let application: ID<Application>
    package let user: ID<User>
    /// The identity that the user signed in with. Nil in a code of an older version.
    let vouched: Identity.Vouched?
    let connection: Connection.Ownership
    /// SHA-256, because a URI may be long and the code is part of one. Empty in a protocol whose token request does not repeat the redirect
    /// URI, so a code of one protocol cannot be redeemed in another one.
    let redirectURIHash: [UInt8]
    let codeChallenge: String?
    let nonce: String?
    package let scope: String
    /// The APIs that the user's sign-in is for.
    package let apis: [ID<API>]
    /// The key that the token request must prove (RFC 9449, section 10).
    let key: KeyThumbprint?
    /// When Apple authenticated the user.
    package let authenticatedAt: Date
    /// The device that the user signed in with.
    package let device: Device
    private(set) var issuedAt: Date
    /// Whether the person answered a question before. The login can then have several codes, because the same form again gets another one.
    private(set) var followsQuestion = false
    /// When Espalier admitted the sign-in with Apple. A silent sign-in is as old as the one with Apple. Otherwise a code that the browser
    /// gets while all tokens are being ended would be newer than their end. The same is true of a person who answered a question before.
    let admittedAt: Date
    /// The session of the browser, if it serves all applications.
    package var browser: BrowserSession.Link?

    /// The purpose of the seal. Each addition to the code has one of its own, because a server of the previous version would ignore it.
    private enum Kind: String, CaseIterable {
        case plain = "authorization_code"
        case withKey = "authorization_code_with_key"
        /// With the session of a browser, with a key or without.
        case ofBrowser = "authorization_code_of_browser"
        /// After a question, with a key and the session of a browser or without. It ends with everything that ended since the sign-in was
        /// admitted, and the login can have several codes.
        case afterQuestion = "authorization_code_after_question"

        func purpose(onPage page: String?) -> String { page.map { "\(rawValue)/\($0)" } ?? rawValue }
    }

    package enum Refusal: Error {
        case unreadable, otherTenant, otherApplication, otherRedirectURI, verifierMissing, verifierUnexpected, verifierWrong, otherKey
    }

    package init(
        login: ID<LoginID>, tenant: ID<Tenant>, application: ID<Application>, user: ID<User>, vouched: Identity.Vouched? = nil,
        connection: Connection.Ownership, redirectURI: String?, codeChallenge: String?, nonce: String?, scope: String, apis: [ID<API>] = [],
        key: KeyThumbprint? = nil,
        authenticatedAt: Date, device: Device, browser: BrowserSession.Link? = nil, at now: Date
    ) {
        self.browser = browser
        (self.vouched, self.apis, self.key) = (vouched, apis, key)
        (self.login, self.tenant, self.application, self.user) = (login, tenant, application, user)
        (self.connection, self.authenticatedAt, self.device) = (connection, authenticatedAt, device)
        redirectURIHash = Self.hash(redirectURI)
        (self.codeChallenge, self.nonce, self.scope, issuedAt) = (codeChallenge, nonce, scope, now)
        admittedAt = browser?.signedInAt ?? now
    }

    /// The same code, issued now. It is valid for another minute, and ends with everything that ended since its sign-in was admitted.
    package func issued(at now: Date) -> AuthorizationCode {
        var code = self
        (code.issuedAt, code.followsQuestion) = (now, true)
        return code
    }

    package func sealed(with keyring: Keyring) -> String {
        let (bytes, kind) = fields
        return keyring.sealToken(bytes, purpose: kind.rawValue)
    }

    /// The code while a page waits for the person. It opens only for this page, so no token endpoint accepts it. Nil if it is too long.
    package func sealed(forPage page: String, with keyring: Keyring) -> String? {
        let (bytes, kind) = fields
        return bytes.count <= Self.room ? keyring.sealToken(bytes, purpose: kind.purpose(onPage: page)) : nil
    }

    private var fields: (bytes: [UInt8], kind: Kind) {
        var fields = FieldWriter()
        let kind: Kind = followsQuestion ? .afterQuestion : browser != nil ? .ofBrowser : key != nil ? .withKey : .plain
        if kind == .afterQuestion {
            fields.write(admittedAt)
            fields.write(browser == nil ? "" : "browser")
        }
        if let browser {
            fields.write(browser.session.uuid)
            fields.write(browser.isSilent ? "silent" : "")
            if let time = browser.signedInAt { fields.write(time) }
        }
        if kind == .ofBrowser || kind == .afterQuestion { fields.write(key == nil ? "" : "key") }
        fields.write(login.uuid)
        fields.write(tenant.uuid)
        fields.write(application.uuid)
        fields.write(user.uuid)
        fields.write(connection.rawValue)
        fields.write(redirectURIHash)
        fields.write(codeChallenge)
        fields.write(nonce)
        fields.write(scope)
        fields.write(authenticatedAt)
        fields.write(device.userAgent)
        fields.write(device.address)
        fields.write(issuedAt)
        if vouched != nil || !apis.isEmpty || key != nil {
            fields.write(vouched?.team ?? "")
            fields.write(vouched?.at ?? issuedAt)
        }
        if let key { fields.write(key.text) }
        for api in apis { fields.write(api.uuid) }
        return (fields.bytes, kind)
    }

    func isExpired(at now: Date) -> Bool {
        now >= issuedAt.addingTimeInterval(Self.lifetime)
    }

    /// Opens a code and checks all its bindings. Age and earlier use are checked later, because a bound code that is expired or used shows
    /// that someone has a copy.
    /// - Parameter redirectURI: nil in a protocol whose token request does not repeat it.
    package init(
        opening sealed: String, with keyring: Keyring, tenant expected: ID<Tenant>, application client: ID<Application>,
        redirectURI: String?, verifier: String?, provenKey: KeyThumbprint? = nil
    ) throws(Refusal) {
        try self.init(opening: sealed, with: keyring, page: nil)
        guard tenant == expected else { throw .otherTenant }
        guard application == client else { throw .otherApplication }
        guard redirectURIHash == Self.hash(redirectURI) else { throw .otherRedirectURI }
        switch (codeChallenge, verifier) {
        case (nil, nil): break
        case (_?, nil): throw .verifierMissing
        // RFC 9700, section 4.8.2: a verifier without a challenge means that an attacker removed the challenge.
        case (nil, _?): throw .verifierUnexpected
        case (let challenge?, let verifier?):
            guard PKCE.verify(verifier, against: challenge) else { throw .verifierWrong }
        }
        guard key == nil || key == provenKey else { throw .otherKey }
    }

    /// Opens a code that `sealed(forPage:with:)` sealed. The caller checks the application and the redirect URI.
    package init(opening sealed: String, onPage page: String, with keyring: Keyring) throws(Refusal) {
        try self.init(opening: sealed, with: keyring, page: page)
    }

    private init(opening sealed: String, with keyring: Keyring, page: String?) throws(Refusal) {
        do {
            var (fields, place) = try FieldReader.open(sealed, with: keyring, purposes: Kind.allCases.lazy.map { $0.purpose(onPage: page) })
            let kind = Kind.allCases[place]
            followsQuestion = kind == .afterQuestion
            let admission = followsQuestion ? try fields.date() : nil
            let hasBrowser = followsQuestion ? try fields.string() == "browser" : kind == .ofBrowser
            browser =
                hasBrowser ? .init(ID(try fields.uuid()), signedInAt: try fields.string() == "silent" ? try fields.date() : nil) : nil
            let hasKey =
                switch kind {
                case .plain: false
                case .withKey: true
                case .ofBrowser, .afterQuestion: try fields.string() == "key"
                }
            login = ID(try fields.uuid())
            tenant = ID(try fields.uuid())
            application = ID(try fields.uuid())
            user = ID(try fields.uuid())
            guard let ownership = Connection.Ownership(rawValue: try fields.string()) else { throw Refusal.unreadable }
            connection = ownership
            redirectURIHash = try fields.bytes()
            codeChallenge = try fields.optionalString()
            nonce = try fields.optionalString()
            scope = try fields.string()
            authenticatedAt = try fields.date()
            device = Device(userAgent: try fields.optionalString(), address: try fields.optionalString())
            issuedAt = try fields.date()
            admittedAt = admission ?? browser?.signedInAt ?? issuedAt
            let (team, at) = fields.isAtEnd ? ("", issuedAt) : (try fields.string(), try fields.date())
            vouched = team.isEmpty ? nil : Identity.Vouched(team: team, at: at)
            key = hasKey ? KeyThumbprint(try fields.string()) : nil
            guard (key != nil) == hasKey else { throw Refusal.unreadable }
            var apis: [ID<API>] = []
            while !fields.isAtEnd { apis.append(ID(try fields.uuid())) }
            self.apis = apis
        } catch {
            throw .unreadable
        }
    }

    private static func hash(_ text: String?) -> [UInt8] {
        text.map { Array(SHA256.hash(data: Data($0.utf8))) } ?? []
    }
}

extension FieldReader {
    /// The fields of a sealed value of one of these purposes, and its place among them.
    package static func open(
        _ sealed: String, with keyring: Keyring, purposes: some Sequence<String>
    ) throws -> (fields: FieldReader, purpose: Int) {
        for (place, purpose) in purposes.enumerated() {
            do { return (FieldReader(try keyring.openToken(sealed, purpose: purpose)), place) } catch SealingError.forged { continue }
        }
        throw SealingError.forged
    }
}
