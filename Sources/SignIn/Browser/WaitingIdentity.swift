import Access
import Apple
import Encoding
import Foundation
import Sealing
import Sessions
import Tenancy
import Users

/// A sign-in at Apple whose identity no user has, while the person decides about a user with the same address. It is sealed, first into the
/// form of the page and then into a cookie of the attempt that signs in to that user, or that waits for a link in a mail. It is not a row,
/// so a person who leaves the page leaves nothing behind.
///
/// It contains Apple's id_token, which is verified again when it is used. So only a sign-in that Apple vouched for can become an
/// identity.
struct WaitingIdentity: Sendable {
    static let lifetime: TimeInterval = 15 * 60
    private static let purposePrefix = "waiting_identity"
    /// How many bytes the fields may have, so that a cookie with them stays below the limit of browsers.
    private static let room = 2600

    let tenant: ID<Tenant>
    let connection: ID<Connection>
    /// The sign-in whose page asked.
    private(set) var page: ID<LoginID>
    /// SHA-256 of Apple's code in the response that led to the page. That of an empty text, if it had none.
    private(set) var appleCode: [UInt8]
    /// The user with the same address, when the page asked.
    let candidate: ID<User>
    /// The address that Apple signed, for the page.
    let address: String?
    private let idToken: String
    private let nonce: String
    private(set) var refreshToken: String?
    /// The name, which Apple sends once.
    private(set) var name: AppleUser?
    private(set) var isNewConsent: Bool
    let askedAt: Date

    init(
        _ tokens: AppleTokens, _ name: AppleUser?, address: String?, isNewConsent: Bool, of attempt: LoginAttempt, after code: String,
        candidate: ID<User>, at now: Date
    ) {
        (tenant, connection, page, nonce) = (attempt.tenant, attempt.connection, attempt.login, attempt.appleNonce)
        (self.candidate, self.address, askedAt, appleCode) = (candidate, address, now, LoginAttempt.hash(code))
        (idToken, refreshToken) = (tokens.idToken, tokens.refreshToken)
        (self.name, self.isNewConsent) = (name, isNewConsent)
    }

    /// Keeps what Apple sent only the first time, if the person signed in with the same Apple Account again.
    mutating func keep(
        _ earlier: WaitingIdentity, ifOf token: IDToken, through connection: Connection, verifiedBy apple: AppleClient
    ) async throws {
        guard earlier.connection == connection.id,
            try await earlier.token(of: connection, verifiedBy: apple).subject.utf8.elementsEqual(token.subject.utf8)
        else { return }
        name = name ?? earlier.name
        refreshToken = refreshToken ?? earlier.refreshToken
        isNewConsent = isNewConsent || earlier.isNewConsent
    }

    /// The same for a page after another response of Apple.
    func asked(by attempt: LoginAttempt, after code: String) -> WaitingIdentity {
        var waiting = self
        (waiting.page, waiting.appleCode) = (attempt.login, LoginAttempt.hash(code))
        return waiting
    }

    func withoutName() -> WaitingIdentity {
        var waiting = self
        waiting.name = nil
        return waiting
    }

    /// Whether the page was the response to this attempt and this code of Apple.
    func wasAsked(by attempt: LoginAttempt, after code: String) -> Bool {
        page == attempt.login && constantTimeEqual(LoginAttempt.hash(code), appleCode)
    }

    /// The token for one attempt, or nil if it is too long.
    func sealed(for attempt: ID<LoginID>, with keyring: Keyring) -> String? {
        var fields = FieldWriter()
        fields.write(tenant.uuid)
        fields.write(connection.uuid)
        fields.write(page.uuid)
        fields.write(appleCode)
        fields.write(candidate.uuid)
        fields.write(address)
        fields.write(idToken)
        fields.write(nonce)
        fields.write(refreshToken)
        fields.write(name?.givenName)
        fields.write(name?.familyName)
        fields.write(isNewConsent ? "new" : "")
        fields.write(askedAt)
        return fields.bytes.count <= Self.room ? keyring.sealToken(fields.bytes, purpose: Self.purpose(for: attempt)) : nil
    }

    /// Nil unless it was sealed for this attempt and its tenant in the last 15 minutes.
    init?(opening sealed: String, for attempt: LoginAttempt, with keyring: Keyring, at now: Date) {
        guard let bytes = try? keyring.openToken(sealed, purpose: Self.purpose(for: attempt.login)) else { return nil }
        do {
            var fields = FieldReader(bytes)
            (tenant, connection) = (ID(try fields.uuid()), ID(try fields.uuid()))
            (page, appleCode) = (ID(try fields.uuid()), try fields.bytes())
            (candidate, address) = (ID(try fields.uuid()), try fields.optionalString())
            (idToken, nonce, refreshToken) = (try fields.string(), try fields.string(), try fields.optionalString())
            name = AppleUser(givenName: try fields.optionalString(), familyName: try fields.optionalString())
            isNewConsent = try fields.string() == "new"
            askedAt = try fields.date()
        } catch { return nil }
        guard tenant == attempt.tenant, connection == attempt.connection, now < askedAt.addingTimeInterval(Self.lifetime)
        else { return nil }
    }

    /// The end of the time in which an attempt can use it.
    func end(in attempt: LoginAttempt) -> Date {
        min(askedAt.addingTimeInterval(Self.lifetime), attempt.startedAt.addingTimeInterval(LoginAttempt.lifetime))
    }

    /// Tells it and its candidate from all others, also of the same attempt.
    var digest: [UInt8] { LoginAttempt.hash("\(candidate) \(idToken)") }

    /// Apple's id_token, verified again. The time is that of the question, because the id_token may expire before the decision.
    func token(of connection: Connection, verifiedBy apple: AppleClient) async throws -> IDToken {
        try await apple.verify(idToken, audiences: [connection.servicesID], nonce: nonce, at: askedAt)
    }

    private static func purpose(for attempt: ID<LoginID>) -> String { "\(purposePrefix) \(attempt)" }
}
