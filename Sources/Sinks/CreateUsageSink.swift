import Access
import Foundation
import HTTPTypes
import Hummingbird
import Postgres
import Sealing
import Web

extension UsageSinkRoutes {
    /// Creates the sink. It receives the usage that is aggregated from now on.
    @Sendable
    func createUsageSink(_ request: Request, _ call: PlatformContext) async throws -> Response {
        try call.require(.usageWrite)
        try call.requireRecentSignIn(at: now())
        var fields = try await JSONFields(request)
        let format = fields.choice("format", UsageSink.Format.self, isRequired: true)
        let url = fields.sinkURL(isRequired: true, allowsPrivate: allowsPrivate)
        let secret = fields.sinkSecret(isRequired: format == .stripe)
        let eventName = fields.sinkEventName(isRequired: format == .stripe)
        if format == .cloudevents, eventName != nil { fields.refuse("event_name", "It is valid only with the format `stripe`.") }
        if format == .stripe, let refusal = url.flatMap(JSONFields.stripeURLRefusal) { fields.refuse(refusal.field, refusal.detail) }
        try fields.finish()
        guard let format, let url else { throw Problem(.invalid, "`format` and `url` are required.") }
        if let eventName { try await requireMeter(named: eventName, at: url, secret) }

        let now = now()
        let id = ID<UsageSink>(at: now)
        let sealed = secret.map { UsageSink.seal($0, of: id, keyring: keyring) }
        let reply = try await call.platformDatabase(pool).transaction { db in
            let made = try await db.run(
                """
                INSERT INTO usage_sink (tenant_id, id, format, url, event_name, sealed_secret, status, created_at, updated_at)
                VALUES (\(UUID.platform), \(id), \(format), \(url), \(eventName), \(sealed), \(UsageSink.Status.enabled), \(now), \(now))
                ON CONFLICT (tenant_id) DO NOTHING
                """
            ).affected
            guard made == 1 else { throw Problem(.alreadyExists, "A usage sink already exists. Change it, or delete it first.") }
            let (found, waiting) = try await db.run(UsageSink.find, UsageSink.waiting)
            let sink = try UsageSink(found[0])
            _ = try await db.run(
                AuditEvent.insert("createUsageSink", of: id.description, owner: .platform, by: call.origin, after: sink.settings, at: now))
            return try sink.reply(waiting)
        }
        return try .resource(reply, updatedAt: now, status: .created, headers: [.location: "/v1/platform/usage-sink"])
    }
}
