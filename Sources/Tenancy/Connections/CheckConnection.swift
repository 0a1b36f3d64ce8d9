import Access
import Foundation
import Hummingbird
import Postgres
import Web

private struct Reply: Encodable {
    let object = "connection_check"
    let connection_id: ID<Connection>
    let outcome: ConnectionCheck.Outcome
    let checked_at: Date
    let steps: [ConnectionCheck.Step]
    let apple_portal: ApplePortal
}

extension ConnectionRoutes {
    /// The minimum time between two requested checks of one connection, in seconds.
    private static var shortestPause: TimeInterval { 3 }

    /// Runs the doctor.
    @Sendable
    func checkConnection(_ request: Request, _ call: some ActingContext) async throws -> Response {
        try call.require(.connectionsWrite)
        let actor = ConnectionActor(call)
        try await JSONFields(request, isOptional: true).requireEmpty()
        // The time is read after the body has arrived. The doctor compares clocks, and a slow sender must not look like a slow clock.
        let now = now()
        let details = try await find(try call.connectionInPath, for: actor)
        // The claim limits checks across all processes, so that an impatient caller does not overload Apple. Two requests at once may
        // arrive here in another order than they read the clock. A claim from more than 60 s ahead came from a wrong clock.
        let claimed = try await actor.database(pool).run(
            """
            UPDATE connection SET check_claimed_at = \(now) WHERE tenant_id = \(actor.owner) AND id = \(details.connection.id)
                AND (check_claimed_at IS NULL OR check_claimed_at <= \(now - Self.shortestPause) OR check_claimed_at > \(now + 60))
            """)
        guard claimed.affected == 1 else {
            var problem = Problem(.rateLimited, "This connection was checked a moment ago. Retry in a few seconds.")
            problem.headers[.retryAfter] = "\(Int(Self.shortestPause))"
            throw problem
        }
        let check = try await recordCheck(of: details, for: actor, isAudited: true, at: now)
        return try .json(
            Reply(
                connection_id: details.connection.id, outcome: check.outcome, checked_at: check.checkedAt, steps: check.steps,
                apple_portal: portal(for: details, of: actor)))
    }

    /// Checks the current key, and records the result.
    @discardableResult
    func recordCheck(
        of details: ConnectionDetails, for actor: ConnectionActor, isAudited: Bool, at now: Date
    ) async throws -> ConnectionCheck {
        let key = details.signing
        let (check, fingerprint) = try await doctor.check(details, with: key, at: now)
        try await details.record(
            check, of: key, fingerprint: fingerprint, action: actor.action, by: actor.origin, isAudited: isAudited,
            in: actor.database(pool))
        return check
    }
}
