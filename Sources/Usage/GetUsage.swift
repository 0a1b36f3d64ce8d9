import Foundation
import Hummingbird
import Postgres
import Tenancy
import Web

private struct Reply: Encodable {
    struct Day: Encodable {
        let date: String
        let logins: Int
    }

    let object = "usage"
    let tenant_id: ID<Tenant>
    let from, to: Date
    let logins: Int
    let days: [Day]
}

extension UsageRoutes {
    /// Counts the events themselves: what is answered here is what is billed. Of a purged tenant, the numbers they came to.
    @Sendable
    func getUsage(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.usageRead)
        let window = try Window(Query(request, "from", "to"), at: now())
        let days = try await call.database(pool)
            .run(UsageEvent.loginsByDay(tenant: call.tenant, from: window.from, to: window.to))
            .map { row in Reply.Day(date: try row.get("day"), logins: try row.get("logins")) }
        return try .json(
            Reply(tenant_id: call.tenant, from: window.from, to: window.to, logins: days.reduce(0) { $0 + $1.logins }, days: days))
    }
}

/// The time asked for: `[from, to)`, at most 366 days, the current UTC month when nothing is said.
struct Window: Equatable {
    let from, to: Date

    init(_ query: Query, at now: Date) throws {
        var utc = Calendar(identifier: .gregorian)
        utc.timeZone = .gmt
        let month = utc.dateInterval(of: .month, for: now)!
        from = try query.time("from") ?? month.start
        to = try query.time("to") ?? (query.text("from") == nil ? month.end : max(now, from.addingTimeInterval(1)))
        guard from < to else { throw Problem.invalid(.init("to", "It must be later than `from`.")) }
        guard to.timeIntervalSince(from) <= 366 * 86400 else {
            throw Problem.invalid(.init("to", "At most 366 days can be asked for at once."))
        }
    }
}
