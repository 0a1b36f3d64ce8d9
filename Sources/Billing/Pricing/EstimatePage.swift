import Access
import HTTPTypes
import Hummingbird
import Ledger
import Web

/// The page of a cost estimate, with or without the form. It shows the same data as `EstimateReply`.
struct EstimatePage {
    private var content: [String: Any]

    /// - Parameter tenant: the tenant whose prices apply. Nil for a plan's prices.
    init(_ estimate: EstimateReply, for tenant: Tenant? = nil) {
        content = ["estimate": Self.content(estimate, tenant), "silent_price": Self.silentPrice(estimate)]
    }

    /// The public page with a form, for the prices of a plan.
    /// - Parameters:
    /// - estimate: nil without valid input.
    /// - refusal: the error in the input. The page does not repeat the input.
    init(asking plan: Tenant.Plan, _ estimate: EstimateReply? = nil, refusal: String? = nil) {
        content = [
            "form": [
                "logins": estimate.map { "\($0.logins)" } ?? "", "most": "\(Prices.mostLogins)",
                "plans": Tenant.Plan.allCases.map { ["name": $0.rawValue, "selected": $0 == plan] as [String: Any] },
            ] as [String: Any],
            "silent_price": Self.silentPrice(estimate),
        ]
        if let refusal { content["refusal"] = ["text": refusal] }
        if let estimate { content["estimate"] = Self.content(estimate, nil) }
    }

    private static func content(_ estimate: EstimateReply, _ tenant: Tenant?) -> [String: Any] {
        let (card, currency) = (estimate.rate_card, estimate.currency)
        let whose = card.tenant_id == nil ? "the plan \(estimate.plan.rawValue)'s" : "the tenant's own"
        var content: [String: Any] = [
            "logins": estimate.logins.grouped, "on": estimate.on.description, "total": "\(estimate.total) \(currency)",
            "rate_card": "\(whose) rate card, version \(card.version), of \(card.effective_from)",
            "lines": estimate.lines.map { line in
                [
                    "description": line.description, "quantity": line.quantity.grouped, "unit_price": line.unit_price,
                    "amount": "\(line.amount) \(currency)",
                ]
            },
            "silent": estimate.silent_logins > 0 ? [["number": estimate.silent_logins.grouped]] : [],
            "next": estimate.next_tier.map { sentence(on: $0, estimate) } ?? "This price applies to all further logins.",
        ]
        if let tenant { content["tenant"] = ["name": tenant.name, "slug": tenant.slug] }
        return content
    }

    /// The price of a silent sign-in, if it has one.
    private static func silentPrice(_ estimate: EstimateReply?) -> [[String: String]] {
        guard let estimate, let micros = estimate.rate_card.silent_login_micros, micros > 0 else { return [] }
        return [["price": "\(estimate.currency.text(micros: micros)) \(estimate.currency)"]]
    }

    private static func sentence(on next: EstimateReply.NextTier, _ estimate: EstimateReply) -> String {
        let (from, price) = (next.from_login.grouped, "\(next.unit_price) \(estimate.currency)")
        let what = estimate.rate_card.tier_mode == .volume ? "all logins cost \(price) each" : "a login costs \(price)"
        let difference = next.change_micros < 0 ? "\(next.change.dropFirst()) less" : "\(next.change) more"
        return """
            Starting with login \(from) (\(next.additional_logins.grouped) more), \(what). A month with \(from) logins costs \(next.total) \
            \(estimate.currency), \(difference).
            """
    }

    /// The response with the page.
    /// - Parameter maxAge: for how many seconds any cache may store the page. Nil for a page for one reader.
    func response(_ status: HTTPResponse.Status = .ok, maxAge: Int? = nil) -> Response {
        PrintedPage.response(html, status, hasForm: content["form"] != nil, maxAge: maxAge)
    }

    var html: String { PrintedPage.html(Self.template, content, hasForm: content["form"] != nil) }

    private static let template = PrintedPage.template(
        titled: "Cost of logins",
        """
        <h1>Cost of logins</h1>
        {{#form}}
        <form method="get" action="/pricing">
        <label>Logins per month <input name="logins" type="number" min="0" max="{{most}}" step="1" required value="{{logins}}"></label>
        <label>Plan <select name="plan">{{#plans}}<option{{#selected}} selected{{/selected}}>{{name}}</option>{{/plans}}</select></label>
        <button>Calculate</button>
        </form>
        {{/form}}
        {{#refusal}}
        <p class="note" role="alert">{{text}}</p>
        {{/refusal}}
        {{#estimate}}
        <dl>
        {{#tenant}}
        <dt>For</dt><dd>{{name}} ({{slug}})</dd>
        {{/tenant}}
        <dt>Logins</dt><dd>{{logins}} in a whole month</dd>
        {{#silent}}
        <dt>Silent sign-ins</dt><dd>{{number}} in a whole month</dd>
        {{/silent}}
        <dt>Prices</dt><dd>{{rate_card}}, in effect on {{on}}, UTC</dd>
        </dl>
        <table>
        <thead><tr><th>Description</th><th class="number">Quantity</th><th class="number">Unit price</th>\
        <th class="number">Amount</th></tr></thead>
        <tbody>
        {{#lines}}
        <tr><td>{{description}}</td><td class="number" data-name="Quantity">{{quantity}}</td>\
        <td class="number" data-name="Unit price">{{unit_price}}</td><td class="number" data-name="Amount">{{amount}}</td></tr>
        {{/lines}}
        </tbody>
        <tfoot>
        <tr><th colspan="3">Total</th><td class="number">{{total}}</td></tr>
        </tfoot>
        </table>
        <p>{{next}}</p>
        {{/estimate}}
        <footer>
        <p>This is an estimate. Fees and logins are rounded once per line, half to even, to the currency's smallest coin. A minimum is the difference to the rounded lines. {{#silent_price}}Refreshes are free. A silent sign-in costs {{price}}.{{/silent_price}}{{^silent_price}}Refreshes and sessions are free.{{/silent_price}}</p>
        </footer>
        """)
}
