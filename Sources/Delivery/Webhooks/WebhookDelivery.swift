import Access
import Foundation
import Outbox
import Postgres
import Web

/// The delivery of one event to one endpoint, and its state.
struct WebhookDelivery: Identified, Sendable {
    static let idPrefix = "delivery"

    enum State: String, Codable, CaseIterable, SQLValue {
        /// Not delivered yet. Another attempt follows.
        case pending
        case succeeded
        /// No further attempt follows. It can be replayed.
        case failed
    }

    /// The reason for a missing response.
    enum Failure: String, SQLValue {
        case nameNotResolved = "name_not_resolved"
        /// The name resolves to an address in a network that is not public.
        case addressRefused = "address_refused"
        case connectionFailed = "connection_failed"
        case tlsFailed = "tls_failed"
        case timedOut = "timed_out"
        case noHTTP = "no_http"
        case endpointDisabled = "endpoint_disabled"
        case tenantDeleted = "tenant_deleted"
        /// The last attempt started, but its end is unknown.
        case interrupted

        init(_ failure: OutgoingRequest.Failure) {
            self =
                switch failure {
                case .nameNotResolved: .nameNotResolved
                case .addressRefused: .addressRefused
                case .connectionFailed: .connectionFailed
                case .tlsFailed: .tlsFailed
                case .timedOut: .timedOut
                case .noHTTP: .noHTTP
                }
        }
    }

    let id: ID<WebhookDelivery>
    let webhook: ID<Webhook>
    let event: Event
    let state: State
    let attempts: Int
    let nextAt: Date?
    let lastStatus: Int?
    let lastError: String?
    let createdAt, updatedAt: Date

    typealias Event = EmittedEvent

    init(_ row: Row) throws {
        id = try row.get("id")
        webhook = try row.get("endpoint_id")
        event = try Event(row, id: "event_id")
        state = try row.get("state")
        attempts = try row.get("attempts")
        nextAt = try row.get("next_at")
        lastStatus = try row.get("last_status")
        lastError = try row.get("last_error")
        createdAt = try row.get("created_at")
        updatedAt = try row.get("updated_at")
    }

    static func find(_ id: ID<WebhookDelivery>, to webhook: ID<Webhook>, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT d.id, d.endpoint_id, d.event_id, v.type, v.occurred_at, v.data, v.actor, d.state, d.attempts, d.next_at, d.last_status,
            d.last_error, d.created_at, d.updated_at
        FROM webhook_delivery d JOIN webhook_event v ON v.tenant_id = d.tenant_id AND v.id = d.event_id
        WHERE d.tenant_id = \(tenant) AND d.endpoint_id = \(webhook) AND d.id = \(id)
        """
    }

    /// The limit of waiting deliveries for tests and replays.
    static let mostWaiting = 1000

    /// Refuses a test or a replay while too many deliveries wait, because every worker would have to skip them to find other tenants' work.
    /// Events about users are still delivered.
    /// - Throws: `Problem` 409.
    static func requireRoom(of tenant: ID<Tenant>, in transaction: Transaction) async throws {
        let waiting: Int? = try await transaction.run(
            Outbox.waiting(of: tenant.uuid, upTo: mostWaiting)
        ).first { try $0.get("n") }
        guard let waiting, waiting < mostWaiting else {
            throw Problem(
                .conflict, "\(mostWaiting) deliveries of this tenant are still waiting. Retry after they have succeeded or failed.")
        }
    }

    /// Inserts a delivery and its outbox entry.
    static func insert(
        _ id: ID<WebhookDelivery>, of event: ID<WebhookEvent>, to webhook: ID<Webhook>, tenant: ID<Tenant>, at now: Date
    ) -> [SQL] {
        [
            """
            INSERT INTO webhook_delivery (tenant_id, id, endpoint_id, event_id, state, created_at, updated_at, next_at)
            VALUES (\(tenant), \(id), \(webhook), \(event), \(State.pending), \(now), \(now), \(now))
            """,
            Outbox.insert(WebhookEvent.outboxKind, subject: id.uuid, owner: tenant.uuid, id: UUID(), at: now),
        ]
    }

    /// The response to callers.
    struct Reply: Encodable {
        struct Event: Encodable {
            let id: ID<WebhookEvent>
            let type: String
            let occurred_at: Date
            let data: EventData?
            let actor: EventActor?
        }
        let id: ID<WebhookDelivery>
        let object = "webhook_delivery"
        let webhook_id: ID<Webhook>
        let event: Event
        let state: State
        let attempts: Int
        let next_at: Date?
        let last_status: Int?
        let last_error: String?
        let created_at, updated_at: Date
    }

    var reply: Reply {
        Reply(
            id: id, webhook_id: webhook,
            event: .init(
                id: event.id, type: event.type, occurred_at: event.occurredAt, data: try? EventData(event.data), actor: event.actor),
            state: state, attempts: attempts, next_at: nextAt, last_status: lastStatus, last_error: lastError, created_at: createdAt,
            updated_at: updatedAt)
    }
}
