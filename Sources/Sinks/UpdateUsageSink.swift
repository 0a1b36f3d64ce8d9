import Access
import Foundation
import Hummingbird
import Postgres
import Sealing
import Web

extension UsageSinkRoutes {
    /// Changes the sink. Waiting events are sent again at once, to the new address if it changed.
    @Sendable
    func updateUsageSink(_ request: Request, _ call: PlatformContext) async throws -> Response {
        try call.require(.usageWrite)
        try call.requireRecentSignIn(at: now())
        var fields = try await JSONFields(request)
        let url = fields.sinkURL(isRequired: false, allowsPrivate: allowsPrivate)
        let secret = fields.sinkSecret(isRequired: false)
        let removesSecret = fields.isNull("secret")
        let eventName = fields.sinkEventName(isRequired: false)
        let status = fields.choice("status", UsageSink.Status.self)
        for name in ["url", "event_name", "status"] where fields.isNull(name) { fields.refuse(name, "It cannot be removed.") }
        try fields.finish()
        /// Refuses a change that this sink cannot have.
        @Sendable func check(_ sink: UsageSink) throws {
            try request.requireMatch(EntityTag(sink.updatedAt))
            switch sink.format {
            case .cloudevents where eventName != nil: throw Problem(.conflict, "A sink of CloudEvents has no `event_name`.")
            case .stripe where removesSecret: throw Problem(.conflict, "The secret cannot be removed because Stripe requires it.")
            case .stripe:
                if let refusal = url.flatMap(JSONFields.stripeURLRefusal) { throw Problem.invalid(refusal) }
            default: break
            }
        }
        if url != nil || secret != nil || eventName != nil,
            let sink = try await call.platformDatabase(pool).run(UsageSink.find).first(UsageSink.init), sink.format == .stripe,
            let name = eventName ?? sink.eventName
        {
            // Checks before the stored secret goes to an address of the request.
            try check(sink)
            try await requireMeter(
                named: name, at: url ?? sink.url, secret ?? sink.secret(keyring), isNew: url != nil || eventName != nil)
        }

        let now = now()
        let (reply, updatedAt) = try await call.platformDatabase(pool).transaction { db in
            guard let sink = try await db.run(UsageSink.lock).first(UsageSink.init) else { throw Problem.notFound("usage sink") }
            try check(sink)
            let sealed = secret.map { UsageSink.seal($0, of: sink.id, keyring: keyring) } ?? (removesSecret ? nil : sink.sealedSecret)
            _ = try await db.run(
                [
                    """
                    UPDATE usage_sink SET url = \(url ?? sink.url), event_name = \(eventName ?? sink.eventName), sealed_secret = \(sealed),
                        status = \(status ?? sink.status), updated_at = \(now.asChange(after: sink.updatedAt))
                    WHERE tenant_id = \(UUID.platform)
                    """
                ] + UsageSink.wake(at: now))
            let (found, waiting) = try await db.run(UsageSink.find, UsageSink.waiting)
            let changed = try UsageSink(found[0])
            _ = try await db.run(
                AuditEvent.insert(
                    "updateUsageSink", of: sink.id.description, owner: .platform, by: call.origin, before: sink.settings,
                    after: changed.settings, at: now))
            return (try changed.reply(waiting), changed.updatedAt)
        }
        return try .resource(reply, updatedAt: updatedAt)
    }
}
