import Access
import Foundation
import Ledger
import Postgres

/// The charges of a tenant's month, before they are stored.
struct Bill: Sendable {
    /// The terms of the month itself.
    let terms: [Term]
    let lines: [StatementLine]

    struct NoPrices: Error, CustomStringConvertible {
        var description: String { "some logins have no price" }
    }

    /// - Parameters:
    /// - events: all events that are billed in this month, including those that occurred earlier.
    /// - isWritten: whether the month is closed, so that its stored terms apply.
    init(
        of tenant: ID<Tenant>, in period: Month, events: BilledEvents, isWritten: Bool = false, from database: PlatformDatabase
    ) async throws {
        let prices = try await PriceHistory.find(of: tenant, in: database)
        try await self.init(of: tenant, in: period, events: events, by: prices, isWritten: isWritten, from: database)
    }

    /// - Parameter db: it has rights to all of the tenant's rows.
    init(
        of tenant: ID<Tenant>, in period: Month, events: BilledEvents, by prices: PriceHistory, isWritten: Bool = false,
        from db: some StatementRunner
    ) async throws {
        let (plans, rateCards) = (prices.plans, prices.rateCards)
        terms =
            try isWritten
            ? await db.run(Term.written(of: period, tenant)).map { try Term($0, among: rateCards) }
            : Term.all(of: period, plans: plans, rateCards: rateCards)
        var lines = try MonthlyCharges.lines(
            of: period, terms: terms, spare: .spare(of: period, plans: plans, rateCards: rateCards), events: events.of(period),
            silent: events.silent(of: period))
        for month in events.months.subtracting([period]).sorted() {
            let (stored, earlier) = try await db.run(
                Term.written(of: month, tenant), BilledEvents.billed(of: month, before: period, tenant))
            let written = try stored.map { try Term($0, among: rateCards) }
            let billed = try BilledEvents(summed: earlier)
            lines += try MonthlyCharges.corrections(
                of: month, terms: written.isEmpty ? Term.all(of: month, plans: plans, rateCards: rateCards) : written,
                spare: .spare(of: month, plans: plans, rateCards: rateCards),
                billed: billed.of(month), late: events.of(month), silent: (billed.silent(of: month), events.silent(of: month)))
        }
        // A login or a silent sign-in without a known price must not remain unbilled.
        for (kind, counted) in [(UsageEvent.Kind.login, events.byDay), (.silentLogin, events.silentByDay)] {
            guard lines.reduce(0, { $0 + ($1.kind.counts == kind ? $1.quantity : 0) }) == counted.values.reduce(0, +)
            else { throw NoPrices() }
        }
        self.lines = lines
    }

    /// The total by currency. Usually there is one currency.
    var totals: [Currency: Int] {
        lines.reduce(into: [:]) { $0[$1.currency, default: 0] += $1.amountMicros }
    }
}

extension StatementLine.Kind {
    /// The kind of the events that its quantity counts. Each event is in exactly one such line. Nil for a number of days.
    fileprivate var counts: UsageEvent.Kind? {
        switch self {
        case .included, .logins, .correction: .login
        case .silentLogins, .silentCorrection: .silentLogin
        case .baseFee, .minimum: nil
        }
    }
}

extension Term {
    /// The stored terms of a closed month.
    fileprivate static func written(of period: Month, _ tenant: ID<Tenant>) -> SQL {
        """
        SELECT t.first_day, t.last_day, t.rate_card_owner, t.rate_card_id,
            (SELECT l.plan FROM statement_line l WHERE l.tenant_id = t.tenant_id AND l.period = t.period
                AND l.service_period = t.period AND l.first_day = t.first_day LIMIT 1) AS plan
        FROM statement_term t WHERE t.tenant_id = \(tenant) AND t.period = \(period) ORDER BY t.first_day
        """
    }

    fileprivate init(_ row: Row, among rateCards: [RateCard]) throws {
        let (owner, id) = (try row.get("rate_card_owner", as: UUID.self), try row.get("rate_card_id", as: ID<RateCard>.self))
        guard let card = rateCards.first(where: { $0.owner == owner && $0.id == id }) else { throw Bill.NoPrices() }
        self.init(
            rateCard: card, plan: try row.get("plan", as: Tenant.Plan?.self) ?? card.plan ?? .free, firstDay: try row.get("first_day"),
            lastDay: try row.get("last_day"))
    }
}
