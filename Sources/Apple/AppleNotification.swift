package import Foundation

/// A verified notification: Apple's signed envelope, and what happened to somebody's account (Apple: "Processing changes for Sign
/// in with Apple accounts").
package struct AppleNotification: Sendable, Equatable, Unprintable {
    package let issuer: String
    /// The Services ID or bundle ID whose user it concerns. Whose that is, the caller has to look up.
    package let audience: String
    /// `jti`: Apple sends the same notification again under the same one.
    package let id: String
    package let issuedAt: Date
    package let event: AppleEvent
}

/// What happened to somebody's account at Apple.
package struct AppleEvent: Sendable, Equatable, Unprintable {
    package enum Kind: String, Sendable, CaseIterable {
        /// The person stopped using their account with this team.
        case consentRevoked = "consent-revoked"
        /// The account is deleted. Apple writes `account-delete`, too.
        case accountDeleted = "account-deleted"
        /// Mail through Apple's relay is forwarded again, or is no more.
        case emailEnabled = "email-enabled"
        case emailDisabled = "email-disabled"
    }

    /// Nil for what this version does not know.
    package let kind: Kind?
    /// The kind's name, or, of an unknown one, what Apple wrote.
    package let type: String
    /// Apple's `sub` for the user.
    package let subject: String?
    /// By Apple's clock.
    package let occurredAt: Date
    package let email: String?

    /// The type of an event that could not be made sense of.
    package static let unreadable = "unreadable"
}

// MARK: Rules

extension AppleNotification {
    /// The age at which a notification is refused, in seconds: seven days. Apple says nothing of how long it tries again, so it is
    /// long; what is older may have been forgotten here, and would be taken for new. An event's effect hangs on its own time.
    package static let longestAge: TimeInterval = 7 * 86400
    private static let longestID = 255

    /// Checks issuer, age and id. The audience is the caller's to check.
    func check(issuers: Set<String>, at now: Date) throws(IDTokenRefusal) {
        guard issuers.contains(where: issuer.isSame) else { throw .issuer }
        guard now < issuedAt + Self.longestAge else { throw .expired }
        guard issuedAt <= now + IDToken.leeway else { throw .notYetValid }
        guard (1...Self.longestID).contains(id.unicodeScalars.count), IDToken.isPlain(id) else { throw .malformed }
    }
}

// MARK: Reading

extension AppleNotification {
    /// Reads the claims of a payload whose signature has been verified.
    init(payload: [UInt8]) throws(IDTokenRefusal) {
        guard let claims = try? JSONDecoder().decode(Claims.self, from: Data(payload)) else { throw .malformed }
        let issuedAt = AppleEvent.time(claims.iat) ?? .distantPast
        self.init(
            issuer: claims.iss, audience: claims.aud, id: claims.jti, issuedAt: issuedAt,
            event: AppleEvent(claims.events?.fields, issuedAt: issuedAt))
    }

    /// Reads one that was verified when it came, and kept sealed since.
    /// - Parameter jws: as `AppleClient.verifyNotification` took it.
    /// - Throws: `AppleError` for what it would not have taken.
    package init(kept jws: String) throws(AppleError) {
        do {
            self = try AppleNotification(payload: try AppleJWS(jws).unverifiedPayload())
        } catch {
            throw .untrusted(error)
        }
    }

    private struct Claims: Decodable {
        let iss, aud, jti: String
        let iat: Double
        let events: Events?
    }

    /// Apple's text has an object here; what comes is a string with the object's JSON in it.
    private struct Events: Decodable {
        let fields: AppleEvent.Fields?

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                fields = try? JSONDecoder().decode(AppleEvent.Fields.self, from: Data(text.utf8))
            } else {
                fields = try? container.decode(AppleEvent.Fields.self)
            }
        }
    }
}

extension AppleEvent {
    /// What of an event can be read. Whatever else is in it does not hurt.
    fileprivate struct Fields: Decodable {
        let type, sub, email: String?
        let time: Double?

        private enum Key: String, CodingKey {
            case type, sub, email
            case time = "event_time"
        }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: Key.self)
            type = try? fields.decode(String.self, forKey: .type)
            sub = try? fields.decode(String.self, forKey: .sub)
            email = try? fields.decode(String.self, forKey: .email)
            time = try? fields.decode(Double.self, forKey: .time)
        }
    }

    fileprivate init(_ fields: Fields?, issuedAt: Date) {
        kind = fields?.type.flatMap { $0 == "account-delete" ? .accountDeleted : Kind(rawValue: $0) }
        type = kind?.rawValue ?? fields?.type.flatMap(Self.name) ?? Self.unreadable
        subject = fields?.sub.flatMap { (1...IDToken.longestSubject).contains($0.utf8.count) && IDToken.isPlain($0) ? $0 : nil }
        email = fields?.email.flatMap { (1...IDToken.longestEmail).contains($0.utf8.count) && IDToken.isPlain($0) ? $0 : nil }
        // No event is later than the envelope, which counts whole seconds: a time from the future would hold for ever.
        occurredAt = min(fields?.time.flatMap(Self.time) ?? issuedAt, issuedAt + 1)
    }

    /// A name that can be shown and asked for; nil for anything else.
    private static func name(_ text: String) -> String? {
        // By bytes: to a pattern, a Kelvin sign is a K.
        let isName = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        return isName && (1...100).contains(text.utf8.count) ? text : nil
    }

    /// Apple's text has seconds, and milliseconds are what comes. As seconds, those of today lie thousands of years ahead.
    fileprivate static func time(_ number: Double) -> Date? {
        guard number > 0, number < 1e15 else { return nil }
        return Date(timeIntervalSince1970: number < 1e11 ? number : number / 1000)
    }
}
