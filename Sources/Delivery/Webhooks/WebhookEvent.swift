package import Access
import Encoding
package import Foundation
package import Postgres

/// An event of a delivery.
package struct EmittedEvent: Sendable {
    package let id: ID<WebhookEvent>
    package let type: String
    package let occurredAt: Date
    package let data: JSON
    package let actor: EventActor?
}

extension EmittedEvent {
    /// - Parameter id: the column with the ID of the event.
    init(_ row: Row, id: String = "id") throws {
        self.id = try row.get(id)
        type = try row.get("type")
        occurredAt = try row.get("occurred_at")
        data = try row.get("data")
        actor = try row.get("actor", as: JSON?.self).map { try JSONDecoder().decode(EventActor.self, from: Data($0.bytes)) }
    }
}

/// The caller of the REST API who caused an event. Acts of users, Apple and the system have none.
package struct EventActor: Codable, Sendable {
    package let id: String
    package let session_id, support_access_id, address: String?

    init?(_ origin: AuditEvent.Origin) {
        guard origin.actor.begins(with: "\(APIKey.idPrefix)_") || origin.actor.begins(with: "\(Person.idPrefix)_") else { return nil }
        (id, address) = (origin.actor, origin.address)
        (session_id, support_access_id) = (origin.session?.description, origin.support?.description)
    }
}

/// An event at a tenant, delivered to the endpoints that subscribe to it.
package struct WebhookEvent: Identified, Sendable {
    package static let idPrefix = "event"

    package enum Kind: String, Codable, CaseIterable, SQLValue, Sendable {
        case userCreated = "user.created"
        case userDeleted = "user.deleted"
        case userConsentRevoked = "user.consent_revoked"
        case userEmailDisabled = "user.email_disabled"
        case userEmailEnabled = "user.email_enabled"
        case userIdentityAdded = "user.identity_added"
        case userIdentityRemoved = "user.identity_removed"
        case sessionRevoked = "session.revoked"
        case connectionFailing = "connection.failing"
        case keyExpiring = "key.expiring"
        case usageThreshold = "usage.threshold"
        case statementClosed = "statement.closed"
        case supportAccessStarted = "support_access.started"
        case supportAccessEnded = "support_access.ended"
    }

    /// The outbox's kind of a delivery.
    package static let outboxKind = "webhook"

    /// The type of the event that `testWebhook` sends. No endpoint can subscribe to it.
    package static let testType = "webhook.test"

    /// The retention of events and their deliveries, in seconds: 30 days.
    package static let retention: TimeInterval = 30 * 86400

    /// The largest size of an event's data in bytes. A delivery's body stays below 20 kB.
    static let largestData = 12_000

    /// An event has more data than a delivery can contain.
    package struct TooLarge: Error {
        package let kind: Kind
    }

    /// The statement that emits an event in the transaction of its cause.
    ///
    /// It inserts the event, one delivery per endpoint that subscribes to its kind, and the outbox's entry per delivery. Without a
    /// subscription it inserts nothing.
    ///
    /// If an endpoint is being deleted at the same time, the statement waits and then skips the endpoint. A missing receiver must not make
    /// the action fail.
    ///
    /// - Parameters:
    ///   - data: the content of the event: IDs and states, never a secret, an email address or a name.
    ///   - origin: the actor that caused the event. Nil for the system.
    /// - Throws: `TooLarge`.
    package static func emit(
        _ kind: Kind, data: some Encodable, owner: UUID, by origin: AuditEvent.Origin? = nil, at now: Date
    ) throws -> SQL {
        let json = JSON(bytes: try JSONWriter.encode(data))
        guard json.bytes.count <= largestData else { throw TooLarge(kind: kind) }
        let actor = try origin.flatMap(EventActor.init).map { JSON(bytes: try JSONWriter.encode($0)) }
        return "SELECT emit_webhook_event(\(owner), \(ID<WebhookEvent>(at: now)), \(kind), \(now), \(json), \(actor))"
    }

    /// Whether an enabled endpoint subscribes to events of this kind, or a terminal listens, as a condition.
    package static func isExpected(_ kind: Kind, by owner: UUID, at now: Date) -> SQL {
        """
        (EXISTS (SELECT FROM webhook_endpoint WHERE tenant_id = \(owner) AND status = 'enabled' AND \(kind) = ANY(events))
            OR EXISTS (SELECT FROM webhook_listener WHERE tenant_id = \(owner) AND expires_at > \(now)))
        """
    }
}
