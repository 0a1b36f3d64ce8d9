package import Access
import Encoding
package import Foundation
package import Outbox
package import Postgres
package import Sealing
import Web

/// Delivers an event to an endpoint (Standard Webhooks). This is the outbox's handler for its kind.
///
/// An attempt is counted before it is made. After a failure or a crash, it is made again under the same `webhook-id`, at most ten times in
/// three days. Then the delivery has failed, and an operator or the tenant can replay it. The endpoint stays enabled unless it responds
/// with 410.
///
/// A suspended tenant still receives events about its users, because Apple and operators can still change them. A deleted tenant receives
/// nothing. Its pending deliveries fail, and can be replayed after a restoration.
package struct DeliverWebhook: Sendable {
    /// The wait before each attempt, in seconds, plus or minus 10%.
    package static let schedule: [TimeInterval] = [0, 5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400]

    private let databases: OwnerDatabases
    private let tenants: SQL
    private let keyring: Keyring
    private let allowsPrivate: Bool
    private let timeout: Duration
    private let workOSBody: WorkOSBody

    /// The body of a delivery in WorkOS's form. The target with that form provides it.
    package typealias WorkOSBody = @Sendable (EmittedEvent, OwnerDatabase) async throws -> [UInt8]

    /// - Parameters:
    /// - allowsPrivate: whether endpoints may be in private networks and without TLS. For development.
    /// - timeout: for name resolution, connection and response together.
    package init(
        databases: OwnerDatabases, keyring: Keyring, allowsPrivate: Bool, tenants: SQL, workOSBody: @escaping WorkOSBody,
        timeout: Duration = .seconds(15)
    ) {
        (self.databases, self.keyring, self.allowsPrivate, self.timeout) = (databases, keyring, allowsPrivate, timeout)
        (self.tenants, self.workOSBody) = (tenants, workOSBody)
    }

    /// Makes one attempt to deliver an event.
    /// - Throws: `DatabaseError`, `SealingError`, `CancellationError`. The delivery does not change then.
    package func handle(_ entry: Outbox.Entry, at now: Date) async throws -> Outbox.Outcome {
        let database = databases[entry.owner]
        let id = ID<WebhookDelivery>(entry.subject)
        let started = ContinuousClock.now
        guard let attempt = try await begin(id, in: database, at: now) else { return .done }

        let body =
            switch attempt.format {
            case .espalier: try Self.body(of: attempt.event)
            case .workos: try await workOSBody(attempt.event, database)
            }
        let answer = try await OutgoingRequest(
            url: attempt.url,
            headers: [("content-type", "application/json"), ("webhook-id", attempt.event.id.description)]
                + attempt.signatures(of: body, at: now), body: body, allowsPrivate: allowsPrivate
        ).send(within: timeout)
        let ended = now.addingTimeInterval((ContinuousClock.now - started) / .seconds(1))

        switch answer {
        case .status(200..<300):
            try await conclude(id, attempt, .succeeded, answer, next: nil, in: database, at: ended)
        case .status(410):
            try await disableEndpoint(id, attempt, in: database, at: ended)
        case .status, .failure:
            if let next = Self.next(after: attempt.number, at: ended) {
                try await conclude(id, attempt, .pending, answer, next: next, in: database, at: ended)
                return .again(at: next)
            }
            try await conclude(id, attempt, .failed, answer, next: nil, in: database, at: ended)
        }
        return .done
    }

    /// The time of the next attempt, or nil after the last attempt.
    static func next(after attempts: Int, at now: Date) -> Date? {
        guard attempts < schedule.count else { return nil }
        return now.addingTimeInterval(schedule[attempts] * Double.random(in: 0.9...1.1))
    }

    /// `{"type":…,"timestamp":…,"data":…,"actor":…}`. The bytes are the same at each attempt.
    static func body(of event: WebhookDelivery.Event) throws -> [UInt8] {
        struct Body: Encodable {
            let type: String
            let timestamp: Date
            let data: EventData
            let actor: EventActor?
        }
        return try JSONWriter.encode(
            Body(type: event.type, timestamp: event.occurredAt, data: EventData(event.data), actor: event.actor))
    }
}

// MARK: Before and after

extension DeliverWebhook {
    /// One attempt: the message, its endpoint and its secrets.
    private struct Attempt: Sendable {
        let webhook: ID<Webhook>
        let url: String
        let event: WebhookDelivery.Event
        /// The number of the attempt, starting with 1.
        let number: Int
        let format: Webhook.Format
        /// In order of age, newest first.
        let secrets: [WebhookSecret]

        /// The headers that prove the origin and the time of the attempt.
        func signatures(of body: [UInt8], at now: Date) -> [(String, String)] {
            switch format {
            case .espalier:
                let seconds = Int(now.timeIntervalSince1970)
                let signatures = secrets.map { $0.signature(id: event.id.description, timestamp: seconds, body: body) }
                return [("webhook-timestamp", "\(seconds)"), ("webhook-signature", signatures.joined(separator: " "))]
            case .workos:
                let milliseconds = Int(now.timeIntervalSince1970 * 1000)
                // One signature is all that WorkOS's libraries accept. After a roll, it is the new secret's.
                return secrets.prefix(1).map { ("workos-signature", $0.workOSSignature(milliseconds: milliseconds, body: body)) }
            }
        }
    }

    /// Counts an attempt.
    /// - Returns: nil if no attempt is due: the delivery has succeeded, its endpoint is deleted or disabled, or the tenant is deleted.
    private func begin(_ id: ID<WebhookDelivery>, in database: OwnerDatabase, at now: Date) async throws -> Attempt? {
        let owner = database.owner
        return try await database.transaction { db in
            let (found, secrets) = try await db.run(
                """
                SELECT d.id, d.endpoint_id, d.event_id, v.type, v.occurred_at, v.data, v.actor, d.state, d.attempts, d.next_at, d.last_status,
                    d.last_error, d.created_at, d.updated_at, e.url, e.format, e.status AS endpoint_status, t.status AS tenant_status
                FROM webhook_delivery d
                    JOIN webhook_event v ON v.tenant_id = d.tenant_id AND v.id = d.event_id
                    JOIN webhook_endpoint e ON e.tenant_id = d.tenant_id AND e.id = d.endpoint_id
                    JOIN (\(part: tenants)) AS t ON t.id = d.tenant_id
                WHERE d.tenant_id = \(owner) AND d.id = \(id) FOR UPDATE OF d
                """,
                """
                SELECT id, sealed_secret FROM webhook_secret
                WHERE tenant_id = \(owner) AND (expires_at IS NULL OR expires_at > \(now)) AND endpoint_id =
                    (SELECT endpoint_id FROM webhook_delivery WHERE tenant_id = \(owner) AND id = \(id))
                ORDER BY id DESC LIMIT \(WebhookSecret.limit)
                """)
            guard let row = found.first else { return nil }
            let delivery = try WebhookDelivery(row)
            guard delivery.state == .pending else { return nil }
            let reason: WebhookDelivery.Failure? =
                switch (try row.get("tenant_status", as: Tenant.Status.self), try row.get("endpoint_status", as: Webhook.Status.self)) {
                case (.deleted, _), (.purged, _): .tenantDeleted
                case (_, .disabled): .endpointDisabled
                case (.active, .enabled), (.suspended, .enabled): delivery.attempts < Self.schedule.count ? nil : .interrupted
                }
            if let reason {
                _ = try await db.run(
                    """
                    UPDATE webhook_delivery SET state = \(WebhookDelivery.State.failed), next_at = NULL, last_status = NULL,
                        last_error = \(reason), updated_at = GREATEST(\(now), updated_at + interval '1 microsecond')
                    WHERE tenant_id = \(owner) AND id = \(id)
                    """)
                return nil
            }
            _ = try await db.run(
                """
                UPDATE webhook_delivery SET attempts = attempts + 1, updated_at = GREATEST(\(now), updated_at + interval '1 microsecond')
                WHERE tenant_id = \(owner) AND id = \(id)
                """)
            return Attempt(
                webhook: delivery.webhook, url: try row.get("url"), event: delivery.event, number: delivery.attempts + 1,
                format: try row.get("format"), secrets: try secrets.map { try WebhookSecret($0, owner: owner, keyring: keyring) })
        }
    }

    private func conclude(
        _ id: ID<WebhookDelivery>, _ attempt: Attempt, _ state: WebhookDelivery.State, _ answer: OutgoingRequest.Answer, next: Date?,
        in database: OwnerDatabase, at now: Date
    ) async throws {
        _ = try await database.run(Self.conclusion(id, attempt, state, answer, next: next, owner: database.owner, at: now))
    }

    /// Concludes this attempt only. If another process has started a later attempt, that attempt decides.
    private static func conclusion(
        _ id: ID<WebhookDelivery>, _ attempt: Attempt, _ state: WebhookDelivery.State, _ answer: OutgoingRequest.Answer, next: Date?,
        owner: UUID, at now: Date
    ) -> SQL {
        let (status, failure): (Int?, WebhookDelivery.Failure?) =
            switch answer {
            case .status(let status): (status, nil)
            case .failure(let failure): (nil, .init(failure))
            }
        return """
            UPDATE webhook_delivery SET state = \(state), next_at = \(next), last_status = \(status)::integer, last_error = \(failure),
                updated_at = GREATEST(\(now), updated_at + interval '1 microsecond')
            WHERE tenant_id = \(owner) AND id = \(id) AND attempts = \(attempt.number) AND state = \(WebhookDelivery.State.pending)
            """
    }

    /// Disables an endpoint that responds with 410, because it is permanently gone (Standard Webhooks, "Disabling endpoints").
    private func disableEndpoint(_ id: ID<WebhookDelivery>, _ attempt: Attempt, in database: OwnerDatabase, at now: Date) async throws {
        let owner = database.owner
        try await database.transaction { db in
            let tenant = ID<Tenant>(owner)
            // Locks the endpoint first. Its deletion does the same, and deletes the deliveries too.
            if let webhook = try await db.run(Webhook.lock(attempt.webhook, of: tenant)).first(Webhook.init), webhook.status == .enabled,
                // An endpoint with a new URL stays enabled.
                webhook.url == attempt.url
            {
                let disabled = try await db.run(
                    """
                    UPDATE webhook_endpoint SET status = \(Webhook.Status.disabled), disabled_reason = \(Webhook.DisabledReason.gone),
                        updated_at = \(now.asChange(after: webhook.updatedAt))
                    WHERE tenant_id = \(owner) AND id = \(webhook.id)
                    RETURNING id, url, description, events, format, status, disabled_reason, created_at, updated_at
                    """
                ).first(Webhook.init)
                _ = try await db.run(
                    AuditEvent.insert(
                        "deliverWebhook", of: webhook.id.description, owner: owner, by: .system, before: webhook.reply,
                        after: disabled?.reply, at: now))
            }
            _ = try await db.run(Self.conclusion(id, attempt, .failed, .status(410), next: nil, owner: owner, at: now))
        }
    }
}
