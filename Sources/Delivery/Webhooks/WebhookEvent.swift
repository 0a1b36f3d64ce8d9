import Access
package import Foundation
package import Postgres
import Web

/// Something that happened at a tenant, told to the endpoints that asked for it.
package struct WebhookEvent: Identified, Sendable {
    package static let idPrefix = "event"

    package enum Kind: String, Codable, CaseIterable, SQLValue, Sendable {
        case userCreated = "user.created"
        case userDeleted = "user.deleted"
        case userConsentRevoked = "user.consent_revoked"
        case userEmailDisabled = "user.email_disabled"
        case userEmailEnabled = "user.email_enabled"
        case sessionRevoked = "session.revoked"
        case connectionFailing = "connection.failing"
        case keyExpiring = "key.expiring"
        case usageThreshold = "usage.threshold"
        case statementClosed = "statement.closed"
    }

    /// What of the outbox is a delivery.
    package static let outboxKind = "webhook"

    /// The type of what `testWebhook` sends; nobody subscribes to it.
    package static let testType = "webhook.test"

    /// How long events and their deliveries are kept, in seconds: 30 days.
    package static let retention: TimeInterval = 30 * 86400

    /// The largest size of an event's data in bytes. A delivery's body stays below 20 kB.
    static let largestData = 12_000

    /// An event with more data than a delivery may carry.
    package struct TooLarge: Error {
        package let kind: Kind
    }

    /// The statement that tells an event, for the transaction in which it happens: the event, one delivery for each endpoint that
    /// asked for its kind, and the outbox's entry for each delivery. Nothing is written where nobody asked.
    ///
    /// An endpoint that is being deleted at the same time is waited for, and passed over: what happened must not fail because nobody
    /// is there any more to hear of it.
    ///
    /// - Parameter data: what happened: ids and states, never a secret, an e-mail address or a name.
    /// - Throws: `TooLarge`.
    package static func emit(_ kind: Kind, data: some Encodable, owner: UUID, at now: Date) throws -> SQL {
        let json = JSON(bytes: try JSONWriter.encode(data))
        guard json.bytes.count <= largestData else { throw TooLarge(kind: kind) }
        return "SELECT emit_webhook_event(\(owner), \(ID<WebhookEvent>(at: now)), \(kind), \(now), \(json))"
    }
}
