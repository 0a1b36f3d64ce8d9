import Access
import Foundation
import Hummingbird
import Postgres
import Web

extension ConnectionRoutes {
    /// Makes a key the current one after Apple has accepted it. The old key stays valid for a while, in case Apple refuses the new one
    /// later (`AppleKey.restore`).
    @Sendable
    func promoteAppleKey(_ request: Request, _ call: some ActingContext) async throws -> Response {
        try call.require(.connectionsWrite)
        try call.requireRecentSignIn(at: now())
        let actor = ConnectionActor(call)
        let id = try call.id("appleKey", of: "Apple key", as: AppleKey.self)
        var fields = try await JSONFields(request, isOptional: true)
        let overlap = fields.integer("overlap_seconds", 0...2_592_000) ?? 86_400
        try fields.finish()
        // The time is read after the body has arrived. The doctor compares clocks, and a slow sender must not look like a slow clock.
        let now = now()
        let details = try await find(try call.connectionInPath, for: actor)
        try request.requireMatch(details.tag, isRequired: true)
        let key = try Self.promotable(id, in: details)
        try await requirePlan(for: actor)

        try requireQuestion(for: actor)
        let (check, fingerprint) = try await doctor.check(details, with: key, at: now)
        guard check.provesKey else {
            throw check.outcome == .unreachable
                ? Problem(.unavailable, "The key cannot be checked at Apple, so the old key stays current. \(check.complaint)")
                : Problem(.appleRefused, check.complaint)
        }

        let owner = actor.owner
        let (reply, version) = try await actor.database(pool).transaction { db in
            try await requirePlan(for: actor, in: db)
            let before = try await lock(details.connection.id, for: actor, request, in: db)
            _ = try Self.promotable(id, in: before)
            var statements: [SQL] = []
            // At most one key is current and one is previous, so the old ones change first.
            if let previous = before.keys.first(where: { $0.state == .previous && $0.id != id }) {
                statements.append(AppleKey.retire(previous.id, owner: owner, at: now))
            }
            statements.append(
                """
                UPDATE apple_key SET state = 'next', usable_until = NULL
                WHERE tenant_id = \(owner) AND id = \(id) AND state = 'previous'
                """)
            if let current = before.keys.first(where: { $0.state == .current }) {
                statements.append(
                    overlap == 0
                        ? AppleKey.retire(current.id, owner: owner, at: now)
                        : """
                        UPDATE apple_key SET state = 'previous', usable_until = \(now + Double(overlap)), updated_at = \(now)
                        WHERE tenant_id = \(owner) AND id = \(current.id)
                        """)
            }
            statements += [
                """
                UPDATE apple_key SET state = 'current', proven_at = \(now), fingerprint = COALESCE(fingerprint, \(fingerprint)),
                    updated_at = \(now)
                WHERE tenant_id = \(owner) AND id = \(id)
                """,
                """
                UPDATE connection SET checked_at = \(now), check_outcome = \(check.outcome), check_steps = \(try check.stepsAsJSON),
                    check_due_at = \(now + 86_400), updated_at = \(now.asChange(after: before.updatedAt))
                WHERE tenant_id = \(owner) AND id = \(before.connection.id)
                """,
            ]
            _ = try await db.run(statements)
            return try await changed(id, before, for: actor, at: now, in: db)
        }
        return try .resource(reply, updatedAt: version)
    }

    private static func promotable(_ id: ID<AppleKey>, in details: ConnectionDetails) throws -> AppleKey {
        guard let key = details.keys.first(where: { $0.id == id }) else { throw Problem.notFound("Apple key") }
        switch key.state {
        case .next, .previous: return key
        case .current: throw Problem(.conflict, "This key is already the current key. Nothing changed.")
        case .retired: throw Problem(.conflict, "This key is retired and its private part is deleted. Add it again.")
        }
    }
}
