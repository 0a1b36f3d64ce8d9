import Access
import Foundation
import Hummingbird
import Ledger
import Postgres
import Tenancy
import Web

/// The charges so far of a month that is not closed.
struct UpcomingStatementReply: Encodable, Sendable {
    let object = "upcoming_statement"
    let tenant_id: ID<Tenant>
    let tenant_slug, tenant_name: String
    let period: Month
    let state = "open"
    /// The numbers include every login before this time.
    let complete_until: Date
    let totals: [StatementReply.Total]
    let events: Int
    let lines: [StatementReply.Line]
}

extension StatementRoutes {
    /// Returns the lines of the current month or another open month, as if nothing more happened in it. The code that closes months
    /// calculates them from the aggregated usage.
    @Sendable
    func getUpcomingStatement(_ request: Request, _ call: TenantContext) async throws -> Response {
        try .json(try await upcomingStatement(request, call))
    }

    /// Returns the same data as a page for viewing or printing.
    @Sendable
    func getUpcomingStatementPage(_ request: Request, _ call: TenantContext) async throws -> Response {
        StatementPage(try await upcomingStatement(request, call)).response
    }

    private func upcomingStatement(_ request: Request, _ call: TenantContext) async throws -> UpcomingStatementReply {
        try call.require(.statementsRead)
        let query = try Query(request, "period")
        let asked = try query.text("period").map { text in
            guard let month = Month(text) else { throw Problem.invalid(.init("period", "It must be a month, for example 2026-11.")) }
            return month
        }
        let now = now()
        let database = call.database(pool)
        let (completeUntil, openMonths, plans, rateCards) = try await database.run(
            RollUp.completeUntil(of: call.tenant, delay: settling, at: now), Self.openMonths(of: call.tenant, at: now),
            PlanChange.all(of: call.tenant), RateCard.all(for: call.tenant))
        let (about, running) = (openMonths[0], try openMonths[0].get("running", as: Month.self))
        let period = asked ?? running
        if let first = try about.get("first_open", as: Month?.self), period < first {
            throw Problem.invalid(.init("period", "The first open month is \(first). For earlier months, read the statements."))
        }
        guard period <= running
        else { throw Problem.invalid(.init("period", "This month has not started. Current logins are billed in \(running).")) }

        let events = try BilledEvents(summed: try await database.run(BilledEvents.summed(of: call.tenant, in: period)))
        let prices = try PriceHistory(plans: plans, rateCards: rateCards)
        let bill = try await Bill(of: call.tenant, in: period, events: events, by: prices, from: database)
        return UpcomingStatementReply(
            tenant_id: call.tenant, tenant_slug: try about.get("slug"), tenant_name: try about.get("name"), period: period,
            complete_until: try completeUntil[0].get("complete_until"), totals: StatementReply.Total.all(bill.totals), events: events.count,
            lines: bill.lines.map(StatementReply.Line.init))
    }

    /// The tenant, the first open month, and the month in which a current login is billed (`UsageEvent.insert`).
    private static func openMonths(of tenant: ID<Tenant>, at now: Date) -> SQL {
        """
        SELECT slug, name,
            (SELECT (max(period) + interval '1 month')::date FROM statement WHERE tenant_id = \(tenant) AND state = 'closed') AS first_open,
            GREATEST(\(Month(now)),
                (SELECT (max(period) + interval '1 month')::date FROM statement WHERE tenant_id = \(tenant))) AS running
        FROM (\(part: Tenant.names)) AS tenant WHERE id = \(tenant)
        """
    }
}
