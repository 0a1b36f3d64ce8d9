import Access
import Foundation
import Hummingbird
import Postgres
import Web

private struct Reply: Encodable {
    struct OfDay: Encodable {
        let date: Day
        let logins: Int
        let silent_logins: Int
    }

    let object = "usage"
    let tenant_id: ID<Tenant>
    let from, to: Date
    let complete_until: Date
    let logins: Int
    /// Sign-ins without Apple. They are not logins.
    let silent_logins: Int
    /// Present if the window is one month or one day.
    let users: Int?
    /// Present if the request has no `window`.
    let days: [OfDay]?
    let windows: [UsageCount]?
}

extension UsageRoutes {
    /// Returns a tenant's usage. The numbers come from the aggregated events (`RollUp`) and the waiting ones. Together these are the
    /// ledger's events, which are billed. For a purged tenant, and for months that were archived, they come from the daily numbers alone.
    @Sendable
    func getUsage(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.usageRead)
        let now = now()
        let query = try Query(request, "from", "to", "window", "group_by", "application_id", "connection", "kind")
        let of = try UsageFilter(query)
        guard let grain = try query.choice("window", Grain.self) else {
            if let name = ["group_by", "application_id", "connection", "kind"].first(where: { (try? query.text($0)) ?? nil != nil }) {
                throw Problem.invalid(.init(name, "It needs `window`: minute, hour, day or month."))
            }
            return try await days(try Window(query, at: now), call, at: now)
        }
        let window = try Window(query, by: grain, at: now)
        let counts: [UsageCount]
        let completeUntil: Date
        let database = call.database(pool)
        if grain.isAggregated {
            let (complete, sums, users) = try await database.run(
                RollUp.completeUntil(of: call.tenant, delay: settling, at: now), UsageCount.aggregated(call.tenant, window, by: grain, of),
                UsageCount.users(call.tenant, window, by: grain, of))
            completeUntil = try complete[0].get("complete_until")
            counts = try UsageCount.all(sums, users: users, by: grain, of)
        } else {
            let (complete, archived, events) = try await database.run(
                RollUp.completeUntil(of: call.tenant, delay: settling, at: now), UsageCount.archivedDay(call.tenant, window),
                UsageCount.fromLedger(call.tenant, window, by: grain, of))
            if let day = try archived.first({ try $0.get("day", as: Day.self) }) {
                throw Problem.invalid(.init("window", "The single logins of \(day) are no longer in the ledger. Use `day` or `month`."))
            }
            completeUntil = try complete[0].get("complete_until")
            counts = try events.map { try UsageCount($0, users: $0.get("users"), by: grain, of) }
        }
        return try .json(
            Reply(
                tenant_id: call.tenant, from: window.from, to: window.to, complete_until: completeUntil,
                logins: counts.reduce(0) { $0 + $1.logins }, silent_logins: counts.reduce(0) { $0 + $1.silent_logins }, users: nil,
                days: nil, windows: counts))
    }

    private func days(_ window: Window, _ call: TenantContext, at now: Date) async throws -> Response {
        let (complete, byDay, users) = try await call.database(pool).run(
            RollUp.completeUntil(of: call.tenant, delay: settling, at: now), UsageCount.days(call.tenant, window),
            UsageCount.users(call.tenant, window))
        let days = try byDay.map { row in
            Reply.OfDay(date: try row.get("day"), logins: try row.get("logins"), silent_logins: try row.get("silent_logins"))
        }
        return try .json(
            Reply(
                tenant_id: call.tenant, from: window.from, to: window.to, complete_until: try complete[0].get("complete_until"),
                logins: days.reduce(0) { $0 + $1.logins }, silent_logins: days.reduce(0) { $0 + $1.silent_logins },
                users: window.unit == nil ? nil : try users.first { try $0.get("users") } ?? 0, days: days, windows: nil))
    }
}
