import Access
import Foundation
import Hummingbird
import Ledger
import Web

/// The page of a statement or a preliminary statement.
struct StatementPage {
    private let content: [String: Any]

    init(_ statement: StatementReply) {
        content = Self.content(statement.period, statement.tenant_name, statement.tenant_slug, statement.totals, statement.lines ?? [])
            .merging([
                "events": statement.events.grouped + (statement.events == 1 ? " event" : " events"),
                "closed": [
                    "id": statement.id.description, "at": statement.closed_at.formatted(.iso8601), "digest": statement.digest,
                ],
            ]) { $1 }
    }

    /// The page of an open month. It shows this prominently, and has neither an ID nor a digest.
    init(_ upcoming: UpcomingStatementReply) {
        let silent = upcoming.lines.filter(\.kind.isSilent).reduce(0) { $0 + $1.quantity }
        content = Self.content(upcoming.period, upcoming.tenant_name, upcoming.tenant_slug, upcoming.totals, upcoming.lines)
            .merging([
                "events": (upcoming.events - silent).grouped, "open": ["until": upcoming.complete_until.formatted(.iso8601)],
                "silent": silent > 0 ? [["events": silent.grouped]] : [],
            ]) { $1 }
    }

    private static func content(
        _ period: Month, _ name: String, _ slug: String, _ totals: [StatementReply.Total], _ lines: [StatementReply.Line]
    ) -> [String: Any] {
        let lines = lines.map { line in
            // A tenant's own cards have their own version numbers: its version 1 is not the plan's version 1.
            let whose = line.own_rate_card ? "own" : line.plan?.rawValue
            return [
                "description": line.description,
                "price_list": "\(whose.map { "\($0), " } ?? "")version \(line.rate_card_version)",
                "quantity": line.quantity.grouped + (line.kind.isByDays ? line.quantity == 1 ? " day" : " days" : ""),
                "unit_price": line.unit_price ?? "", "amount": "\(line.amount) \(line.currency)",
            ]
        }
        return [
            "tenant": name, "slug": slug, "period": period.description, "first": period.firstDay.description,
            "last": period.lastDay.description, "lines": lines, "nothing": lines.isEmpty,
            "totals": totals.map { ["amount": "\($0.amount) \($0.currency)"] },
        ]
    }

    var response: Response { PrintedPage.response(html) }

    var html: String { PrintedPage.html(Self.template, content) }

    private static let template = PrintedPage.template(
        titled: "{{#open}}Preliminary statement{{/open}}{{#closed}}Statement{{/closed}} {{period}}, {{tenant}}",
        """
        <h1>{{#open}}Preliminary statement{{/open}}{{#closed}}Statement{{/closed}} {{period}}</h1>
        {{#open}}
        <p class="note">Charges up to {{until}}. The month is not closed, so this is not a statement, and its numbers will change.</p>
        {{/open}}
        <dl>
        <dt>For</dt><dd>{{tenant}} ({{slug}})</dd>
        <dt>Period</dt><dd>{{first}} to {{last}}, UTC</dd>
        {{#closed}}
        <dt>Statement</dt><dd>{{id}}</dd>
        <dt>Closed</dt><dd>{{at}}</dd>
        {{/closed}}
        </dl>
        <table>
        <thead><tr><th>Description</th><th>Rate card</th><th class="number">Quantity</th><th class="number">Unit price</th>\
        <th class="number">Amount</th></tr></thead>
        <tbody>
        {{#lines}}
        <tr><td>{{description}}</td><td data-name="Rate card">{{price_list}}</td>\
        <td class="number" data-name="Quantity">{{quantity}}</td><td class="number" data-name="Unit price">{{unit_price}}</td>\
        <td class="number" data-name="Amount">{{amount}}</td></tr>
        {{/lines}}
        {{#nothing}}
        <tr><td colspan="5">No usage.</td></tr>
        {{/nothing}}
        </tbody>
        <tfoot>
        {{#totals}}
        <tr><th colspan="4">Total{{#open}} so far{{/open}}</th><td class="number">{{amount}}</td></tr>
        {{/totals}}
        </tfoot>
        </table>
        <footer>
        {{#closed}}
        <p>A closed statement does not change. Late logins are corrected on the next one.</p>
        <p>It covers {{events}} with the SHA-256 {{digest}}.</p>
        {{/closed}}
        {{#open}}
        <p>Logins: {{events}}.{{#silent}} Silent sign-ins: {{events}}.{{/silent}} Fees are for the whole month, or for the days of the month on which the tenant has a plan.</p>
        {{/open}}
        </footer>
        """)
}

extension StatementLine.Kind {
    /// Whether a line's quantity is a number of days.
    fileprivate var isByDays: Bool { self == .baseFee || self == .minimum }
    /// Whether a line is for sign-ins without Apple.
    fileprivate var isSilent: Bool { self == .silentLogins || self == .silentCorrection }
}
