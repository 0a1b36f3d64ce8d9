import Encoding
package import Foundation

/// A verified notification: Apple's signed envelope with one Apple event (Apple: "Processing changes for Sign in with Apple
/// accounts").
package struct AppleNotification: Sendable, Equatable, Unprintable {
    package let issuer: String
    /// The Services ID or bundle ID that the event concerns. The caller looks up its owner.
    package let audience: String
    /// `jti`. Apple sends a repeated notification with the same `jti`.
    package let id: String
    package let issuedAt: Date
    package let event: AppleEvent
}

/// A change of a user's account at Apple.
package struct AppleEvent: Sendable, Equatable, Unprintable {
    package enum Kind: String, Sendable, CaseIterable {
        /// The user stopped using their account with this team.
        case consentRevoked = "consent-revoked"
        /// The account is deleted. Apple also writes `account-delete`.
        case accountDeleted = "account-deleted"
        /// Apple's relay forwards the user's mail again, or has stopped.
        case emailEnabled = "email-enabled"
        case emailDisabled = "email-disabled"
    }

    /// Nil for a kind that this version does not know.
    package let kind: Kind?
    /// The name of the kind. For an unknown kind, Apple's text.
    package let type: String
    /// Apple's `sub` for the user.
    package let subject: String?
    /// The time according to Apple's clock.
    package let occurredAt: Date
    package let email: String?

    /// The type of an event that could not be parsed.
    package static let unreadable = "unreadable"
}

// MARK: Rules

extension AppleNotification {
    /// The age at which a notification is rejected, in seconds: 7 days.
    ///
    /// Apple does not document how long it retries, so the limit is long. Espalier may have deleted an older notification and
    /// would process it as a new one. The effect of an event depends on the event's own time.
    package static let longestAge: TimeInterval = 7 * 86400
    private static let longestID = 255

    /// Checks issuer, age and ID. The caller must check the audience.
    func check(issuers: [String], at now: Date) throws(IDTokenRefusal) {
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

    /// Reads a notification that was verified on arrival and stored sealed.
    /// - Parameter jws: The JWS that `AppleClient.verifyNotification` accepted.
    /// - Throws: `AppleError` for a JWS that it would not have accepted.
    package init(stored jws: String) throws(AppleError) {
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

    /// Apple documents an object here, but sends a string that contains the object's JSON.
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
    /// The readable fields of an event. Other content is ignored.
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
        // No event is later than the envelope, which counts whole seconds. A time in the future would stay effective
        // permanently.
        occurredAt = min(fields?.time.flatMap(Self.time) ?? issuedAt, issuedAt + 1)
    }

    /// Returns a name that can be displayed and used as a filter; nil for anything else.
    private static func name(_ text: String) -> String? {
        // By bytes, because a Kelvin sign matches K in a pattern.
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

    /// Apple documents seconds and sends milliseconds. Read as seconds, today's milliseconds would be thousands of years
    /// in the future.
    fileprivate static func time(_ number: Double) -> Date? {
        guard number > 0, number < 1e15 else { return nil }
        return Date(timeIntervalSince1970: number < 1e11 ? number : number / 1000)
    }
}
