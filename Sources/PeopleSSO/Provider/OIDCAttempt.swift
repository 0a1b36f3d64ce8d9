package import Access
import Crypto
import Encoding
package import Foundation
package import Sealing

/// A sign-in at a provider that has started in a browser and has not come back. It is sealed into a cookie of this browser, so nothing is
/// stored, and no other browser can finish it.
package struct OIDCAttempt: Sendable, Equatable {
    /// The purpose of the sign-in.
    package enum Purpose: UInt8, Sendable {
        /// With the provider of a tenant.
        case sso = 1
        /// With Apple, through the platform's own tenant.
        case apple = 2
        /// Adds an account at Apple to the account of the person who is signed in.
        case linkApple = 3
    }

    package let purpose: Purpose
    /// The tenant whose provider it is.
    package let tenant: ID<Tenant>
    package let issuer: String
    package let state, nonce, verifier: String
    /// Whether the person must have signed in at the provider a short time ago.
    package let isAgain: Bool
    /// The page of the account to show afterwards. Nil for the first one.
    package let returnPath: String?
    /// The session of the person who links an account.
    package let session: UUID?
    package let startedAt: Date

    /// How long a person has for the sign-in, in seconds.
    package static let lifetime: TimeInterval = 600
    /// The `max_age` of a request for a new sign-in, in seconds. The sign-in is good for a change until it is twice as old
    /// (`RecentSignIn`). So a provider that does not ask the person again leaves about 5 minutes for the change.
    static let maxAge = 300

    package init(
        _ purpose: Purpose, at provider: OIDCProvider, isAgain: Bool = false, returnPath: String? = nil, session: UUID? = nil, at now: Date
    ) {
        (self.purpose, tenant, issuer, self.isAgain) = (purpose, provider.tenant, provider.issuer, isAgain)
        (state, nonce, verifier) = (Self.makeVerifier(), RandomText.make(), Self.makeVerifier())
        (self.returnPath, self.session, startedAt) = (returnPath, session, now)
    }

    /// 256 random bits in 44 characters (RFC 7636, section 4.1).
    static func makeVerifier() -> String { RandomText.make() + RandomText.make() }

    /// The challenge of the verifier (RFC 7636, section 4.2).
    var challenge: String { Array(SHA256.hash(data: Data(verifier.utf8))).base64URL }

    /// The digest under which the attempt is used up.
    package var digest: [UInt8] { Array(SHA256.hash(data: Data("oidc_attempt \(state)".utf8))) }

    package func isExpired(at now: Date) -> Bool { abs(now.timeIntervalSince(startedAt)) >= Self.lifetime }
}

// MARK: Sealing

extension OIDCAttempt {
    private static let sealingPurpose = "oidc_attempt"

    package func sealed(with keyring: Keyring) -> String {
        var fields = FieldWriter()
        fields.write([purpose.rawValue, isAgain ? 1 : 0])
        fields.write(tenant.uuid)
        for text in [issuer, state, nonce, verifier] { fields.write(text) }
        fields.write(returnPath)
        fields.write(session?.uuidString)
        fields.write(startedAt)
        return keyring.sealToken(fields.bytes, purpose: Self.sealingPurpose)
    }

    /// Opens a cookie that may be forged. Nil unless it is an attempt that has not expired.
    package init?(sealed text: String, with keyring: Keyring, at now: Date) {
        do {
            var fields = FieldReader(try keyring.openToken(text, purpose: Self.sealingPurpose))
            let head = try fields.bytes()
            guard head.count == 2, let purpose = Purpose(rawValue: head[0]) else { return nil }
            (self.purpose, isAgain) = (purpose, head[1] == 1)
            tenant = ID(try fields.uuid())
            issuer = try fields.string()
            state = try fields.string()
            nonce = try fields.string()
            verifier = try fields.string()
            returnPath = try fields.optionalString()
            session = try fields.optionalString().flatMap { UUID(uuidString: $0) }
            startedAt = try fields.date()
        } catch { return nil }
        guard !isExpired(at: now) else { return nil }
    }
}
