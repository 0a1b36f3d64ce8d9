import Access
import Foundation
import HTTPTypes
import Hummingbird
import Ledger
import Postgres
import Web

extension PricingRoutes {
    /// The calculator for everybody, by the prices of the plans, where the platform shows them (`ESPALIER_PRICING_PAGE`). No tenant's own
    /// price is ever looked at, and nothing that was sent comes back but a number and a plan's name.
    @Sendable
    func getPricingPage(_ request: Request, _ context: WebContext) async throws -> Response {
        // The words for a path that is none.
        guard let visits = pricingPage else { throw Problem(.notFound, "There is nothing at this path.") }
        let level = visits.take(CallerNetwork.of(context.record.current.address), at: .now)
        guard level.isGranted else {
            context.record.note(outcome: Problem.Code.rateLimited.rawValue)
            var answer = EstimatePage(asking: .free, refusal: "Too many requests came from this address. Wait for a moment.")
                .response(.tooManyRequests)
            answer.headers[.retryAfter] = "\(level.secondsUntilNext)"
            return answer
        }
        let question: PricingQuestion
        do { question = try PricingQuestion(request.uri.query ?? "") } catch {
            context.record.note(outcome: Problem.Code.invalid.rawValue)
            return EstimatePage(asking: error.plan, refusal: error.detail).response(.badRequest)
        }
        guard let logins = question.logins else { return EstimatePage(asking: question.plan).response(maxAge: Self.pricingMaxAge) }
        let cards = try await PlatformDatabase(pool).run(RateCard.all(for: nil)).map { try RateCard($0) }
        guard let estimate = try EstimateReply(logins, by: cards, plan: question.plan, on: Day(now()))
        else { return EstimatePage(asking: question.plan, refusal: "This plan has no prices yet.").response() }
        return EstimatePage(asking: question.plan, estimate).response(maxAge: Self.pricingMaxAge)
    }

    /// In seconds: prices change at a day's beginning.
    private static let pricingMaxAge = 60
}

/// What a person asks on the page. What is no field of the form is ignored: links carry along all sorts of things.
struct PricingQuestion {
    let plan: Tenant.Plan
    /// Nil where nothing is asked yet.
    let logins: Int?

    struct Refusal: Error, Equatable {
        /// What the form shows then.
        let plan: Tenant.Plan
        let detail: String
    }

    init(_ query: String) throws(Refusal) {
        let form: Form
        do { form = try Form(query) } catch {
            throw Refusal(plan: .free, detail: "The address could not be read: a part of it is malformed, or there twice.")
        }
        let name = form["plan"] ?? Tenant.Plan.free.rawValue
        guard let plan = Tenant.Plan(rawValue: name) else {
            let names = Tenant.Plan.allCases.map(\.rawValue).joined(separator: ", ")
            throw Refusal(plan: .free, detail: "There is no such plan. Choose one of \(names).")
        }
        self.plan = plan
        guard let text = form["logins"] else {
            logins = nil
            return
        }
        guard text.utf8.count <= 20, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = Int(text), number <= Prices.mostLogins
        else {
            throw Refusal(plan: plan, detail: "The number of logins must be a whole one between 0 and \(Prices.mostLogins.grouped).")
        }
        logins = number
    }
}
