import Access
import Foundation
import Ledger
import Postgres
import Tenancy

/// The charges of a month, tenant by tenant. For a closed month these are the lines of the statement. For an open month these are the lines
/// of the upcoming statement (`Bill`), with the corrections of late logins that are billed in it.
struct FocusExport: Sendable {
    private let scope: UsageExport.Scope
    private let provider: String
    private let now: Date
    private static let pageSize = 200

    init(_ scope: UsageExport.Scope, publicURL: String, at now: Date) {
        (self.scope, self.now) = (scope, now)
        provider = URL(string: publicURL)?.host() ?? "Espalier"
    }

    /// Reads one page of charges.
    /// - Parameter after: the last tenant of the previous page. The platform's ID for the first page.
    /// - Returns: the charges of the next tenants, and the last of these tenants. Nil instead of that tenant if none can follow.
    func rows(of month: Month, after: UUID) async throws -> ([FocusRow], last: UUID?) {
        let condition: SQL =
            switch scope {
            case .tenant(let owner, _): "id > \(after) AND id = \(owner.id)"
            case .platform: "id > \(after)"
            }
        let tenants = try await scope.run(
            """
            SELECT id, name FROM (\(part: Tenant.names)) AS tenant WHERE \(part: condition) ORDER BY id LIMIT \(Self.pageSize)
            """
        ).map { row in (id: try row.get("id", as: ID<Tenant>.self), name: try row.get("name", as: String.self)) }
        guard let last = tenants.last else { return ([], nil) }
        let facts = try await facts(of: tenants.map(\.id.uuid), in: month)
        var rows: [FocusRow] = []
        for tenant in tenants {
            if let statement = facts.statements[tenant.id] {
                rows += try (facts.lines[tenant.id] ?? []).map { try row($0, of: tenant.id, statement, in: month) }
            } else if month.start <= now {
                // A month that has not started costs nothing yet.
                rows += try await open(of: tenant.id, name: tenant.name, in: month, facts)
            }
        }
        return (rows.filter(\.isListed), tenants.count < Self.pageSize ? nil : last.id.uuid)
    }

    private struct ClosedMonth {
        let id: ID<Statement>
        let tenantName: String
    }

    private struct Facts {
        var statements: [ID<Tenant>: ClosedMonth] = [:]
        var lines: [ID<Tenant>: [Row]] = [:]
        var events: [ID<Tenant>: [Row]] = [:]
        var plans: [ID<Tenant>: [PlanChange]] = [:]
        var rateCards: [RateCard] = []
    }

    private func facts(of tenants: [UUID], in month: Month) async throws -> Facts {
        let (statements, lines, events, plans, rateCards) = try await scope.run(
            "SELECT tenant_id, id, tenant_name FROM statement WHERE period = \(month) AND tenant_id = ANY(\(tenants)) AND state = 'closed'",
            """
            SELECT tenant_id, kind, first_day, last_day, plan, rate_card_id, rate_card_version, description, quantity, unit_price_micros,
                currency, exact_micros, amount_micros
            FROM statement_line WHERE period = \(month) AND tenant_id = ANY(\(tenants)) ORDER BY tenant_id, position
            """,
            BilledEvents.byDay(of: tenants, in: month),
            "SELECT tenant_id, effective_at, plan FROM tenant_plan WHERE tenant_id = ANY(\(tenants)) ORDER BY tenant_id, effective_at",
            """
            SELECT tenant_id, id, plan, version, effective_from, follows_plan, currency, base_fee_micros, included_logins, minimum_micros,
                tier_mode, tiers, silent_login_micros, created_at
            FROM rate_card WHERE tenant_id = ANY(\(tenants + [.platform])) ORDER BY tenant_id, plan, effective_from, version
            """)
        var facts = Facts()
        for row in statements {
            facts.statements[try row.get("tenant_id")] = ClosedMonth(id: try row.get("id"), tenantName: try row.get("tenant_name"))
        }
        for row in lines { facts.lines[try row.get("tenant_id"), default: []].append(row) }
        for row in events { facts.events[try row.get("tenant_id"), default: []].append(row) }
        for row in plans { facts.plans[try row.get("tenant_id"), default: []].append(try PlanChange(row)) }
        facts.rateCards = try rateCards.map(RateCard.init)
        return facts
    }

    private func row(_ line: Row, of tenant: ID<Tenant>, _ statement: ClosedMonth, in month: Month) throws -> FocusRow {
        FocusRow(
            tenant: tenant, tenantName: statement.tenantName, period: month, firstDay: try line.get("first_day"),
            lastDay: try line.get("last_day"), kind: try line.get("kind"), description: try line.get("description"),
            currency: try line.get("currency"), quantity: try line.get("quantity"), unitPriceMicros: try line.get("unit_price_micros"),
            exactMicros: try line.get("exact_micros"), amountMicros: try line.get("amount_micros"), plan: try line.get("plan"),
            rateCard: try line.get("rate_card_id"), rateCardVersion: try line.get("rate_card_version"),
            invoice: statement.id.description, state: .closed, provider: provider)
    }

    private func open(of tenant: ID<Tenant>, name: String, in month: Month, _ facts: Facts) async throws -> [FocusRow] {
        let prices = PriceHistory(
            plans: facts.plans[tenant] ?? [], rateCards: facts.rateCards.filter { $0.owner == .platform || $0.owner == tenant.uuid })
        let events = try BilledEvents(summed: facts.events[tenant] ?? [])
        let bill = try await Bill(of: tenant, in: month, events: events, by: prices, from: scope)
        return bill.lines.map { line in
            FocusRow(
                tenant: tenant, tenantName: name, period: month, firstDay: line.firstDay, lastDay: line.lastDay, kind: line.kind.rawValue,
                description: line.description, currency: line.currency, quantity: line.quantity, unitPriceMicros: line.unitPriceMicros,
                exactMicros: line.exactMicros, amountMicros: line.amountMicros, plan: line.plan?.rawValue, rateCard: line.rateCard,
                rateCardVersion: line.rateCardVersion, invoice: nil, state: .open, provider: provider)
        }
    }
}
