import Crypto
package import Foundation

/// What a verified id_token says (Apple: "Authenticating users with Sign in with Apple").
package struct IDToken: Sendable, Equatable, Unprintable {
    package let issuer: String
    /// The Services ID or bundle ID it was issued to.
    package let audience: String
    /// Apple's name for the user: stable, and another one for each team.
    package let subject: String
    /// Absent for some Work & School accounts and in some regions; a relay address when `isPrivateEmail`.
    package let email: String?
    package let emailVerified: Bool?
    package let isPrivateEmail: Bool?
    package let nonce: String?
    package let nonceSupported: Bool?
    /// Native sign-ins only, and only the first.
    package let realUserStatus: RealUserStatus?
    /// The user's name at the receiving team, for 60 days after a transfer.
    package let transferSubject: String?
    package let authTime: Date?
    package let issuedAt: Date
    package let expiresAt: Date
    /// Apple sends none; honoured if it ever does.
    let notBefore: Date?

    /// Whether Apple takes the user for a real person (`real_user_status`).
    package enum RealUserStatus: Int, Sendable {
        case unsupported = 0
        case unknown = 1
        case likelyReal = 2
    }

    /// How the nonce may stand in the token.
    package enum NonceForm: Sendable {
        /// As it was sent. Right for the web, where we made it.
        case exact
        /// As it was sent, or its SHA-256 in lower-case hexadecimal, which native SDKs often send in its place.
        case exactOrHashed
    }
}

// MARK: Rules

extension IDToken {
    /// How far Apple's clock and ours may differ, in seconds.
    package static let leeway: TimeInterval = 60
    static let longestSubject = 255
    /// RFC 5321, section 4.5.3.1, with some to spare.
    static let longestEmail = 320

    static func isPlain(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }

    /// Checks issuer, audience, times and subject.
    func check(issuers: Set<String>, audiences: Set<String>, at now: Date) throws(IDTokenRefusal) {
        guard issuers.contains(where: issuer.isSame) else { throw .issuer }
        guard audiences.contains(where: audience.isSame) else { throw .audience }
        guard now < expiresAt + Self.leeway else { throw .expired }
        guard issuedAt <= now + Self.leeway, (notBefore ?? .distantPast) <= now + Self.leeway else { throw .notYetValid }
        guard (1...Self.longestSubject).contains(subject.utf8.count), Self.isPlain(subject) else { throw .subject }
        // What no mailbox is called must not travel on into our tokens and tables.
        if let email {
            guard email.utf8.count <= Self.longestEmail, Self.isPlain(email) else { throw .malformed }
        }
    }

    /// Checks that the token answers the request that sent this nonce. It may be missing only where Apple says that it
    /// could not be kept (`nonce_supported` false).
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
        let digits = Array("0123456789abcdef".utf8)
        let hex = SHA256.hash(data: Data(text.utf8)).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: hex, as: UTF8.self)
    }
}

// MARK: Reading

extension IDToken {
    private enum CodingKeys: String, CodingKey {
        case iss, aud, sub, email, nonce, exp, iat, nbf
        case emailVerified = "email_verified"
        case isPrivateEmail = "is_private_email"
        case nonceSupported = "nonce_supported"
        case realUserStatus = "real_user_status"
        case transferSubject = "transfer_sub"
        case authTime = "auth_time"
    }

    /// Reads the claims of a payload whose signature has been verified.
    init(payload: [UInt8]) throws(IDTokenRefusal) {
        guard let claims = try? JSONDecoder().decode(Claims.self, from: Data(payload)) else { throw .malformed }
        self = claims.token
    }

    /// Keeps `IDToken` itself from being `Decodable`: whoever holds one holds one that was verified.
    private struct Claims: Decodable {
        let token: IDToken

        init(from decoder: any Decoder) throws {
            token = try IDToken(claims: decoder)
        }
    }

    private init(claims decoder: any Decoder) throws {
        let claims = try decoder.container(keyedBy: CodingKeys.self)
        /// Apple sends some Booleans as `"true"`. Anything else counts as absent rather than failing the login.
        func boolean(_ key: CodingKeys) -> Bool? {
            if let value = try? claims.decodeIfPresent(Bool.self, forKey: key) { return value }
            return (try? claims.decodeIfPresent(String.self, forKey: key)).flatMap(Bool.init)
        }
        func time(_ key: CodingKeys) throws -> Date? {
            try claims.decodeIfPresent(Double.self, forKey: key).map(Date.init(timeIntervalSince1970:))
        }
        issuer = try claims.decode(String.self, forKey: .iss)
        audience = try claims.decode(String.self, forKey: .aud)
        subject = try claims.decodeIfPresent(String.self, forKey: .sub) ?? ""
        email = try claims.decodeIfPresent(String.self, forKey: .email).flatMap { $0.isEmpty ? nil : $0 }
        emailVerified = boolean(.emailVerified)
        isPrivateEmail = boolean(.isPrivateEmail)
        nonce = try claims.decodeIfPresent(String.self, forKey: .nonce)
        nonceSupported = boolean(.nonceSupported)
        realUserStatus = (try? claims.decodeIfPresent(Int.self, forKey: .realUserStatus)).flatMap(RealUserStatus.init)
        // Looked up in our tables, but it decides nothing where it is absent.
        transferSubject = (try? claims.decodeIfPresent(String.self, forKey: .transferSubject)).flatMap {
            (1...Self.longestSubject).contains($0.utf8.count) && Self.isPlain($0) ? $0 : nil
        }
        authTime = try? time(.authTime)
        issuedAt = Date(timeIntervalSince1970: try claims.decode(Double.self, forKey: .iat))
        expiresAt = Date(timeIntervalSince1970: try claims.decode(Double.self, forKey: .exp))
        notBefore = try time(.nbf)
    }
}
