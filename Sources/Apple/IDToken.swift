import Crypto
import Encoding
package import Foundation

/// The claims of a verified id_token (Apple: "Authenticating users with Sign in with Apple").
package struct IDToken: Sendable, Equatable, Unprintable {
    package let issuer: String
    /// The Services ID or bundle ID that received the token.
    package let audience: String
    /// Apple's identifier for the user. It is stable, and differs per team.
    package let subject: String
    /// Absent for some Work & School accounts and in some regions. It is a relay address if `isPrivateEmail` is true.
    package let email: String?
    package let emailVerified: Bool?
    package let isPrivateEmail: Bool?
    package let nonce: String?
    package let nonceSupported: Bool?
    /// Present only in the first sign-in of a native application.
    package let realUserStatus: RealUserStatus?
    /// The user's identifier at the receiving team, for 60 days after a transfer.
    package let transferSubject: String?
    package let authTime: Date?
    package let issuedAt: Date
    package let expiresAt: Date
    /// Apple sends none. It is honored if Apple ever does.
    let notBefore: Date?

    /// Whether Apple considers the user a real person (`real_user_status`).
    package enum RealUserStatus: Int, Sendable {
        case unsupported = 0
        case unknown = 1
        case likelyReal = 2
    }

    /// The permitted forms of the nonce in the token.
    package enum NonceForm: Sendable {
        /// The nonce as sent. This form is for the web, where Espalier creates the nonce.
        case exact
        /// The nonce as sent, or its SHA-256 in lowercase hexadecimal. Native SDKs often send the hash.
        case exactOrHashed
    }
}

// MARK: Rules

extension IDToken {
    /// The permitted difference between Apple's clock and ours, in seconds.
    package static let leeway: TimeInterval = 60
    static let longestSubject = 255
    /// The limit of RFC 5321, section 4.5.3.1, with a margin.
    static let longestEmail = 320

    static func isPlain(_ text: String) -> Bool {
        // Apple's values are ASCII. Only other text needs Unicode's tables.
        text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
            || text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }

    /// Checks issuer, audience, times and subject.
    func check(issuers: [String], audiences: Set<String>, at now: Date) throws(IDTokenRefusal) {
        guard issuers.contains(where: issuer.isSame) else { throw .issuer }
        guard audiences.contains(where: audience.isSame) else { throw .audience }
        guard now < expiresAt + Self.leeway else { throw .expired }
        guard issuedAt <= now + Self.leeway, (notBefore ?? .distantPast) <= now + Self.leeway else { throw .notYetValid }
        guard (1...Self.longestSubject).contains(subject.utf8.count), Self.isPlain(subject) else { throw .subject }
        // An invalid address must not reach our tokens and tables.
        if let email {
            guard email.utf8.count <= Self.longestEmail, Self.isPlain(email) else { throw .malformed }
        }
    }

    /// Checks that the token belongs to the request that sent this nonce. The nonce may be missing only if Apple
    /// reports that it could not be stored (`nonce_supported` is false).
    func check(nonce expected: String?, form: NonceForm) throws(IDTokenRefusal) {
        guard let expected else { return }
        guard let nonce else {
            guard nonceSupported == false else { throw .nonceMissing }
            return
        }
        switch form {
        case .exact:
            guard nonce.isSame(as: expected) else { throw .nonceMismatch }
        case .exactOrHashed:
            guard nonce.isSame(as: expected) || nonce.isSame(as: Self.sha256Hex(expected)) else { throw .nonceMismatch }
        }
    }

    private static func sha256Hex(_ text: String) -> String {
        SHA256.hash(data: Data(text.utf8)).hexadecimal
    }
}

// MARK: Reading

extension IDToken {
    /// Reads the claims of a payload whose signature has been verified. There is no other initializer, so every `IDToken` is a verified one.
    init(payload: [UInt8]) throws(IDTokenRefusal) {
        guard case .object(let claims)? = try? JSONValue(json: payload) else { throw .malformed }
        func text(_ name: String) throws(IDTokenRefusal) -> String? {
            switch claims[name] {
            case nil, .null: nil
            case .string(let text): text
            default: throw .malformed
            }
        }
        func time(_ name: String) throws(IDTokenRefusal) -> Date? {
            switch claims[name] {
            case nil, .null: nil
            case .integer(let seconds): Date(timeIntervalSince1970: TimeInterval(seconds))
            case .number(let seconds): Date(timeIntervalSince1970: seconds)
            default: throw .malformed
            }
        }
        /// Apple sends some Booleans as `"true"`. Any other value counts as absent, so that the login does not fail.
        func boolean(_ name: String) -> Bool? {
            switch claims[name] {
            case .bool(let value): value
            case .string(let text): Bool(text)
            default: nil
            }
        }
        guard let issuer = try text("iss"), let audience = try text("aud"), let issuedAt = try time("iat"),
            let expiresAt = try time("exp")
        else { throw .malformed }
        (self.issuer, self.audience, self.issuedAt, self.expiresAt) = (issuer, audience, issuedAt, expiresAt)
        subject = try text("sub") ?? ""
        email = try text("email").flatMap { $0.isEmpty ? nil : $0 }
        emailVerified = boolean("email_verified")
        isPrivateEmail = boolean("is_private_email")
        nonce = try text("nonce")
        nonceSupported = boolean("nonce_supported")
        realUserStatus = claims["real_user_status"]?.wholeNumber.flatMap(RealUserStatus.init)
        // Our tables are searched for it. It decides nothing if it is absent.
        transferSubject = claims["transfer_sub"]?.text.flatMap {
            (1...Self.longestSubject).contains($0.utf8.count) && Self.isPlain($0) ? $0 : nil
        }
        authTime = try? time("auth_time")
        notBefore = try time("nbf")
    }
}
