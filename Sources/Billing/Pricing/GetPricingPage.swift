import Access
import Encoding
import Foundation
import HTTPTypes
import Hummingbird
import Ledger
import Postgres
import Web

extension PricingRoutes {
    /// The public calculator with the prices of the plans, if the platform enables it (`ESPALIER_PRICING_PAGE`). It never reads a tenant's
    /// own prices. The page repeats only a number and a plan's name from the request.
    @Sendable
    func getPricingPage(_ request: Request, _ context: WebContext) async throws -> Response {
        guard let visits = pricingPage else { throw Problem.unknownPath }
        let level = visits.take(CallerNetwork.of(context.record.current.address), at: .now)
        guard level.isGranted else {
            context.record.note(outcome: Problem.Code.rateLimited.rawValue)
            var answer = EstimatePage(asking: .free, refusal: "Too many requests came from this address. Wait a moment, then try again.")
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
        let cards = try await OwnerDatabase(pool, owner: .platform).run(RateCard.ofPlans).map { try RateCard($0) }
        guard let estimate = try EstimateReply(logins, by: cards, plan: question.plan, on: Day(now()))
        else { return EstimatePage(asking: question.plan, refusal: "This plan has no prices yet.").response() }
        return EstimatePage(asking: question.plan, estimate).response(maxAge: Self.pricingMaxAge)
    }

    /// In seconds. Prices change at the start of a day.
    private static let pricingMaxAge = 60
}

/// The input of a person on the page. Unknown parameters are ignored, because links often add some.
struct PricingQuestion {
    let plan: Tenant.Plan
    /// Nil if nothing was entered yet.
    let logins: Int?

    struct Refusal: Error, Equatable {
        /// The plan that the form then shows.
        let plan: Tenant.Plan
        let detail: String
    }

    init(_ query: String) throws(Refusal) {
        let form: Form
        do { form = try Form(query) } catch {
            throw Refusal(plan: .free, detail: "The address is invalid. A part of it is malformed or repeated.")
        }
        let name = form["plan"] ?? Tenant.Plan.free.rawValue
        guard let plan = Tenant.Plan(rawValue: name) else {
            let names = Tenant.Plan.allCases.map(\.rawValue).joined(separator: ", ")
            throw Refusal(plan: .free, detail: "Unknown plan. Choose one of \(names).")
        }
        self.plan = plan
        guard let text = form["logins"] else {
            logins = nil
            return
        }
        guard text.utf8.count <= 20, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = Int(text), number <= Prices.mostLogins
        else {
            throw Refusal(plan: plan, detail: "The number of logins must be a whole number from 0 to \(Prices.mostLogins.grouped).")
        }
        logins = number
    }
}
