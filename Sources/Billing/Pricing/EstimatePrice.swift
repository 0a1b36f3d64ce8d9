import Access
import Foundation
import Hummingbird
import Ledger
import Postgres
import Tenancy
import Web

extension PricingRoutes {
    /// Estimates the cost of a whole month with a number of logins and silent sign-ins, by the prices of a day. These are a plan's prices or those in effect
    /// for a tenant.
    @Sendable
    func estimatePrice(_ request: Request, _ call: KeyContext) async throws -> Response {
        try call.require(.pricingRead)
        var fields = try await JSONFields(request)
        let logins = fields.integer("logins", 0...Prices.mostLogins, isRequired: true)
        let silent = fields.integer("silent_logins", 0...Prices.mostLogins) ?? 0
        let plan = fields.choice("plan", Tenant.Plan.self)
        let name = fields.text("tenant")
        let day = fields.day("on")
        if plan != nil, name != nil { fields.refuse("plan", "Set either `plan` or `tenant`. A tenant has a plan.") }
        try fields.finish()
        guard let logins else { throw Problem(.invalid, "`logins` is required.") }
        return try .json(try await estimate(logins, silent, plan, ofTenant: name, on: day, call).reply)
    }

    /// Returns the same estimate as a page for printing.
    @Sendable
    func getEstimatePage(_ request: Request, _ call: KeyContext) async throws -> Response {
        try call.require(.pricingRead)
        let query = try Query(request, "logins", "silent_logins", "plan", "tenant", "on")
        guard let logins = try query.integer("logins", 0...Prices.mostLogins)
        else { throw Problem.invalid(.init("logins", "It is required: the number of logins per month.")) }
        let silent = try query.integer("silent_logins", 0...Prices.mostLogins) ?? 0
        let plan = try query.choice("plan", Tenant.Plan.self)
        let name = try query.text("tenant", upTo: 200)
        let day = try query.text("on").map { text in
            guard let day = Day(text) else {
                throw Problem.invalid(.init("on", "It must be a day in the year 2000 or later, for example 2026-11-01."))
            }
            return day
        }
        if plan != nil, name != nil { throw Problem.invalid(.init("plan", "Set either `plan` or `tenant`. A tenant has a plan.")) }
        let (reply, tenant) = try await estimate(logins, silent, plan, ofTenant: name, on: day, call)
        return EstimatePage(reply, for: tenant).response()
    }

    private func estimate(
        _ logins: Int, _ silent: Int, _ plan: Tenant.Plan?, ofTenant name: String?, on day: Day?, _ call: KeyContext
    ) async throws -> (reply: EstimateReply, tenant: Tenant?) {
        let day = day ?? Day(now())
        let tenant = plan == nil ? try await subject(name, call) : nil
        let cards =
            if let tenant {
                try await OwnerDatabase(pool, tenant: tenant.id).run(RateCard.all(for: tenant.id)).map { try RateCard($0) }
            } else {
                try await call.database(pool).run(RateCard.ofPlans).map { try RateCard($0) }
            }
        let reply = try EstimateReply(
            logins, silent: silent, by: cards, plan: plan ?? tenant?.plan ?? .free, tenant: tenant?.id, on: day)
        guard let reply else { throw Problem.invalid(.init("on", "No prices were in effect on this day.")) }
        return (reply, tenant)
    }

    /// The named tenant, or the tenant of the key. A tenant's key cannot read other tenants.
    private func subject(_ name: String?, _ call: KeyContext) async throws -> Tenant? {
        guard let find = name.map({ ID<Tenant>($0).map(Tenant.find) ?? Tenant.find(slug: $0) }) ?? call.tenant.map(Tenant.find)
        else { return nil }
        let found =
            switch call.access(pool) {
            case .tenant(_, let database): try await database.run(find)
            case .platform(let database): try await database.run(find)
            }
        guard let tenant = try found.first(Tenant.init) else { throw Problem.invalid(.init("tenant", "Tenant not found.")) }
        return tenant
    }
}
