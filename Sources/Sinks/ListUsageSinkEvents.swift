import Access
import Foundation
import Hummingbird
import Postgres
import Web

extension UsageSinkRoutes {
    /// Lists events that were set aside, with reason and status.
    @Sendable
    func listUsageSinkEvents(_ request: Request, _ call: PlatformContext) async throws -> Response {
        try call.require(.usageRead)
        let page = try Query(request, "limit", "after", "before").page
        let events = try await call.platformDatabase(pool).run(
            """
            SELECT tenant_id, id, occurred_at, sequence, logins, reason, refused_status, refused_at FROM (
                SELECT tenant_id, id, occurred_at, NULL::integer AS sequence, (kind = 'login')::integer AS logins,
                    CASE WHEN refused_status IS NULL THEN 'uncertain' ELSE 'refused' END AS reason, refused_status, refused_at
                FROM usage_sink_event e WHERE refused_at IS NOT NULL AND \(literally: UsageSink.isOfSink)
                UNION ALL
                SELECT tenant_id, id, starts_at, sequence, logins, refused_reason, refused_status, refused_at
                FROM usage_meter_event
                WHERE refused_at IS NOT NULL AND sink_id = (SELECT id FROM usage_sink WHERE tenant_id = \(UUID.platform))
            ) AS refused
            WHERE id < \(page.upper) AND id > \(page.lower)
            ORDER BY CASE WHEN \(page.isBackward) THEN id END ASC, id DESC LIMIT \(page.fetched)
            """
        ).map(RefusedEvent.init)
        return try .json(Page(events, of: page, id: \.id, \.reply))
    }
}

/// An event that was set aside: a login, a silent sign-in, or the logins of a minute.
private struct RefusedEvent {
    let tenant: ID<Tenant>
    let id: UUID
    let occurredAt: Date
    let sequence: Int?
    let logins: Int
    let reason: String
    let status: Int?
    let refusedAt: Date

    init(_ row: Row) throws {
        tenant = try row.get("tenant_id")
        id = try row.get("id")
        occurredAt = try row.get("occurred_at")
        sequence = try row.get("sequence")
        logins = try row.get("logins")
        reason = try row.get("reason")
        status = try row.get("refused_status")
        refusedAt = try row.get("refused_at")
    }

    struct Reply: Encodable {
        /// The ID by which the receiver counts the event once.
        let id: String
        let object = "usage_sink_event"
        let tenant_id: ID<Tenant>
        let occurred_at: Date
        let logins: Int
        let reason: String
        let status: Int?
        let refused_at: Date
    }

    var reply: Reply {
        Reply(
            id: MeterEvent.identifier(tenant, id, occurredAt, sequence), tenant_id: tenant, occurred_at: occurredAt, logins: logins,
            reason: reason, status: status, refused_at: refusedAt)
    }
}
