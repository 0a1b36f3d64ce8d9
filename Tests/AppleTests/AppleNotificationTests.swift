import Apple
import Encoding
import Foundation
import Testing

@Suite("Notification")
struct AppleNotificationTests {
    /// The form that Apple really sends: the event as a string, its time in milliseconds.
    private static let seen = #"{"type":"consent-revoked","sub":"000123.f.0456","event_time":1799999999123}"#

    private static func claims(_ event: String = seen, asObject: Bool = false, _ changes: [String: String?] = [:]) -> Claims {
        let text = asObject ? event : #"""# + event.replacing(#"""#, with: #"\""#) + #"""#
        return Claims(
            ["sub": nil, "exp": nil, "nonce": nil, "nonce_supported": nil, "email": nil, "jti": #""jti-1""#, "events": text]
                .merging(changes, uniquingKeysWith: { $1 }))
    }

    private func verify(
        _ claims: Claims = claims(), at now: Date = Claims.now, token: (SigningKey, Claims) throws -> String = { try $0.sign($1) }
    ) async throws -> AppleNotification {
        let key = try await SigningKey.make("key-1")
        let payload = try token(key, claims)
        return try await FakeApple.run { apple, client in
            apple.answerKeys(key)
            return try await client.verifyNotification(payload, at: now)
        }
    }

    private func expectRefusal(
        _ refusal: IDTokenRefusal, _ claims: Claims = claims(), at now: Date = Claims.now,
        sourceLocation: SourceLocation = #_sourceLocation, token: (SigningKey, Claims) throws -> String = { try $0.sign($1) }
    ) async {
        await #expect(throws: AppleError.untrusted(refusal), sourceLocation: sourceLocation) {
            try await verify(claims, at: now, token: token)
        }
    }

    @Test("the form that Apple sends is read: a string, milliseconds")
    func seen() async throws {
        let notification = try await verify()
        #expect(notification.issuer == "https://appleid.apple.com")
        #expect(notification.audience == Claims.audience)
        #expect(notification.id == "jti-1")
        #expect(notification.issuedAt == Claims.now)
        #expect(notification.event.kind == .consentRevoked)
        #expect(notification.event.subject == "000123.f.0456")
        #expect(abs(notification.event.occurredAt.timeIntervalSince1970 - 1_799_999_999.123) < 0.0005)
        #expect(notification.event.email == nil)
    }

    @Test("the documented form is read: an object, seconds")
    func documented() async throws {
        let event = #"{"type":"email-disabled","sub":"1","event_time":1799999999,"email":"a@b.c","is_private_email":"true"}"#
        let notification = try await verify(Self.claims(event, asObject: true))
        #expect(notification.event.kind == .emailDisabled)
        #expect(notification.event.occurredAt == Claims.now.addingTimeInterval(-1))
        #expect(notification.event.email == "a@b.c")
    }

    @Test(
        "every type is known, both spellings of account-delete, as string and as object", arguments: [false, true],
        [
            ("consent-revoked", .consentRevoked), ("account-delete", .accountDeleted), ("account-deleted", .accountDeleted),
            ("email-enabled", .emailEnabled), ("email-disabled", .emailDisabled), ("passkey-added", nil), ("", nil),
        ] as [(String, AppleEvent.Kind?)])
    func types(asObject: Bool, type: (name: String, kind: AppleEvent.Kind?)) async throws {
        let event = #"{"type":"\#(type.name)","sub":"1","event_time":1799999999000}"#
        let notification = try await verify(Self.claims(event, asObject: asObject))
        #expect(notification.event.kind == type.kind)
        #expect(notification.event.type == type.kind?.rawValue ?? (type.name.isEmpty ? AppleEvent.unreadable : type.name))
    }

    @Test(
        "an unreadable event does not lose the notification",
        arguments: [nil, "null", "1", "[]", #""no JSON""#, #""[]""#, #"{"type":1,"sub":2,"event_time":"x"}"#, #"{"type":"a b","sub":""}"#])
    func senseless(events: String?) async throws {
        let event = try await verify(Self.claims("", asObject: true, ["events": events])).event
        #expect(event.kind == nil)
        #expect(event.type == AppleEvent.unreadable)
        #expect(event.subject == nil)
        #expect(event.occurredAt == Claims.now)
    }

    @Test(
        "an event's time is valid and never later than its envelope, which counts whole seconds",
        arguments: [
            ("1800000000999", 0.999), ("1800000000", 0), ("1800000100", 1), ("99999999999", 1), ("999999999999999", 1), ("1e300", 0),
            ("0", 0), ("-5", 0), ("true", 0), ("null", 0), ("1799999999.5", -0.5),
        ] as [(String, Double)])
    func times(json: String, expected: Double) async throws {
        let event = try await verify(Self.claims(#"{"type":"consent-revoked","sub":"1","event_time":\#(json)}"#)).event
        #expect(abs(event.occurredAt.timeIntervalSince(Claims.now) - expected) < 0.0005)
    }

    @Test("a forged notification is rejected with the rule it breaks")
    func forged() async {
        await expectRefusal(.algorithm) { key, claims in
            try key.sign(header: #"{"alg":"none","kid":"key-1"}"#, payload: claims.json)
        }
        await expectRefusal(.algorithm) { key, claims in
            try key.sign(header: #"{"alg":"HS256","kid":"key-1"}"#, payload: claims.json)
        }
        await expectRefusal(.unknownKey) { key, claims in
            try key.sign(header: #"{"alg":"RS256","kid":"key-2"}"#, payload: claims.json)
        }
        await expectRefusal(.unknownKey) { key, claims in try key.sign(header: #"{"alg":"RS256"}"#, payload: claims.json) }
        await expectRefusal(.signature) { key, claims in
            let parts = try key.sign(claims).split(separator: ".")
            return "\(parts[0]).\(Array(Self.claims(#"{"type":"account-deleted"}"#).json.utf8).base64URL).\(parts[2])"
        }
        await expectRefusal(.malformed) { _, _ in "" }
        await expectRefusal(.malformed) { _, _ in "a.b.c" }
        await expectRefusal(.malformed) { key, _ in try key.sign(header: #"{"alg":"RS256","kid":"key-1"}"#, payload: "[]") }
        await expectRefusal(.malformed) { _, _ in String(repeating: "x", count: 20_000) }
    }

    @Test("a notification signed with another key under Apple's kid is rejected")
    func otherKey() async throws {
        let other = try await SigningKey.make("key-1", pem: TestKeys.rsa2)
        await expectRefusal(.signature) { _, claims in try other.sign(claims) }
    }

    @Test("issuer, age and ID are checked; an audience is required")
    func rules() async throws {
        await expectRefusal(.issuer, Self.claims(["iss": #""https://appleid.apple.com.example""#]))
        await expectRefusal(.malformed, Self.claims(["iss": nil]))
        await expectRefusal(.malformed, Self.claims(["aud": nil]))
        await expectRefusal(.malformed, Self.claims(["aud": "1"]))
        await expectRefusal(.malformed, Self.claims(["jti": nil]))
        await expectRefusal(.malformed, Self.claims(["jti": #""""#]))
        await expectRefusal(.malformed, Self.claims(["jti": #""a\u0000b""#]))
        await expectRefusal(.malformed, Self.claims(["iat": nil]))
        await expectRefusal(.expired, at: Claims.now.addingTimeInterval(7 * 86400))
        _ = try await verify(at: Claims.now.addingTimeInterval(7 * 86400 - 1))
        await expectRefusal(.notYetValid, at: Claims.now.addingTimeInterval(-61))
        _ = try await verify(at: Claims.now.addingTimeInterval(-60))
        _ = try await verify(Self.claims(["iss": #""https://account.apple.com""#]))
    }

    private static func claims(_ changes: [String: String?]) -> Claims {
        claims(seen, asObject: false, changes)
    }

    @Test("a stored notification reads as on arrival, and prints nothing")
    func stored() async throws {
        let key = try await SigningKey.make("key-1")
        let payload = try key.sign(Self.claims())
        let notification = try AppleNotification(stored: payload)
        let verified = try await verify()
        #expect(notification == verified)
        #expect("\(notification) \(notification.event)" == "AppleNotification(…) AppleEvent(…)")
        #expect(throws: AppleError.untrusted(.malformed)) { try AppleNotification(stored: "x") }
    }
}
