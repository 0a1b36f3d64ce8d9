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
}

extension ConnectionRoutes {
    /// How often Apple is asked about one connection at the request of a person, in seconds.
    private static var shortestPause: TimeInterval { 3 }

    /// Calls the doctor.
    @Sendable
    func checkConnection(_ request: Request, _ call: some ActingContext) async throws -> Response {
        try call.require(.connectionsWrite)
        let actor = ConnectionActor(call)
        try await JSONFields(request, isOptional: true).requireEmpty()
        // Not before the body is there: the doctor compares clocks, and a slow sender is no slow clock.
        let now = now()
        let details = try await find(try call.connectionInPath, for: actor)
        // Across all processes: a caller in a hurry must not make us a nuisance to Apple. Two who ask at once may come here in
        // another order than they read the clock; a claim from further ahead is that of a clock which was wrong.
        let claimed = try await actor.database(pool).run(
            """
            UPDATE connection SET check_claimed_at = \(now) WHERE tenant_id = \(actor.owner) AND id = \(details.connection.id)
                AND (check_claimed_at IS NULL OR check_claimed_at <= \(now - Self.shortestPause) OR check_claimed_at > \(now + 60))
            """)
        guard claimed.affected == 1 else {
            var problem = Problem(.rateLimited, "This connection was checked a moment ago. Wait a few seconds.")
            problem.headers[.retryAfter] = "\(Int(Self.shortestPause))"
            throw problem
        }
        let check = try await recordCheck(of: details, for: actor, isAudited: true, at: now)
        return try .json(
            Reply(
                connection_id: details.connection.id, outcome: check.outcome, checked_at: check.checkedAt, steps: check.steps))
    }

    /// Checks the key that signs, and writes down what was found.
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

extension JSONFields {
    /// For an action whose body has no fields.
    func requireEmpty() throws {
        var fields = self
        try fields.finish()
    }
}
