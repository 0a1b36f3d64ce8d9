import Access
import Encoding
import Foundation
import Hummingbird
import Postgres
import Web

extension WebhookRoutes {
    private struct Reply: Encodable {
        let id: ID<WebhookEvent>
        let object = "webhook_event"
        let type: WebhookEvent.Kind
        let is_example = true
        /// How many webhooks get it.
        let deliveries: Int
        let created_at, updated_at: Date
    }

    /// Sends an example of an event to the webhooks that subscribe to its type, and to the terminals that listen.
    ///
    /// Nothing else happens: its IDs belong to nobody, and its data has `is_example`. A webhook in WorkOS's format does not get it, because
    /// that format has the data of a user.
    @Sendable
    func triggerWebhook(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.webhooksWrite)
        var fields = try await JSONFields(request)
        let type = fields.choice("type", WebhookEvent.Kind.self, isRequired: true)
        try fields.finish()
        guard let kind = type else { throw Problem(.invalid, "`type` is required.") }

        let (now, tenant) = (now(), call.tenant)
        let event = ID<WebhookEvent>(at: now)
        let data = JSON(bytes: Array(kind.example.utf8))
        let actor = try EventActor(call.origin).map { JSON(bytes: try JSONWriter.encode($0)) }
        let reply = try await call.database(pool).transaction { db in
            try await WebhookDelivery.requireRoom(of: tenant, in: db)
            let webhooks: [ID<Webhook>] = try await db.run(
                """
                SELECT id FROM webhook_endpoint
                WHERE tenant_id = \(tenant) AND status = 'enabled' AND format = 'espalier' AND \(kind) = ANY(events)
                ORDER BY id FOR KEY SHARE
                """
            ).map { try $0.get("id") }
            var batch = Statements()
            batch.append(
                """
                INSERT INTO webhook_event (tenant_id, id, type, occurred_at, data, actor)
                VALUES (\(tenant), \(event), \(kind), \(now), \(data), \(actor))
                """)
            for webhook in webhooks {
                batch.append(contentsOf: WebhookDelivery.insert(ID(at: now), of: event, to: webhook, tenant: tenant, at: now))
            }
            let reply = Reply(id: event, type: kind, deliveries: webhooks.count, created_at: now, updated_at: now)
            batch.append(
                try AuditEvent.insert("triggerWebhook", of: event.description, owner: tenant.uuid, by: call.origin, after: reply, at: now))
            _ = try await db.run(batch)
            return reply
        }
        return try .json(reply, status: .accepted)
    }
}

extension WebhookEvent.Kind {
    /// The data of an example, as in the spec. No row has its IDs.
    var example: String {
        let user = #""user_id": "user_00000000000000000000000000""#
        let members =
            switch self {
            case .userCreated, .userDeleted, .userConsentRevoked, .userEmailDisabled, .userEmailEnabled: user
            case .userIdentityAdded: user + #", "identity_id": "identity_00000000000000000000000000", "team_id": "A1B2C3D4E5""#
            case .userIdentityRemoved:
                user + #", "identity_id": "identity_00000000000000000000000000", "team_id": "A1B2C3D4E5", "status": "pending""#
            case .sessionRevoked:
                user + #", "session_ids": ["session_00000000000000000000000000"], "reason": "revoked", "revoked": 1"#
            case .connectionFailing:
                #""connection_id": "connection_00000000000000000000000000", "reason": "check_failed""#
            case .keyExpiring: #""api_key_id": "apikey_00000000000000000000000000", "expires_at": "2026-12-01T00:00:00Z""#
            case .usageThreshold:
                #""period": "2026-11", "percent": 80, "logins": 800, "budget_logins": 1000, "logins_refused": false"#
            case .supportAccessStarted, .supportAccessEnded:
                #""support_access_id": "support_00000000000000000000000000", "ends_at": "2026-12-01T00:00:00Z""#
            case .statementClosed:
                """
                "statement_id": "statement_00000000000000000000000000", "tenant_id": "tenant_00000000000000000000000000", \
                "period": "2026-11", "events": 400, "totals": [{"currency": "USD", "amount_micros": 2000000, "amount": "2.00"}]
                """
            }
        return "{\(members), \"is_example\": true}"
    }
}
