import Foundation
import HTTPTypes
import Hummingbird
import Mustache
import NIOCore
import Tenancy

/// A statement on paper: no script, no link, nothing that is loaded from elsewhere, so that a file of it shows the same years later.
struct StatementPage {
    private let statement: StatementReply

    init(_ statement: StatementReply) {
        self.statement = statement
    }

    var response: Response {
        let html = html
        let headers: HTTPFields = [
            .contentType: "text/html; charset=utf-8", .contentLength: "\(html.utf8.count)", .cacheControl: "no-store",
            .contentSecurityPolicy:
                "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
            HTTPField.Name("Referrer-Policy")!: "no-referrer",
        ]
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
    }

    var html: String {
        let lines = (statement.lines ?? []).map { line in
            [
                "description": line.description,
                "price_list": "\(line.plan.map { "\($0.rawValue), " } ?? "")version \(line.rate_card_version)",
                "quantity": line.quantity.grouped + (line.kind.isByDays ? line.quantity == 1 ? " day" : " days" : ""),
                "unit_price": line.unit_price ?? "", "amount": "\(line.amount) \(line.currency)",
            ]
        }
        return Self.template.render(
            [
                "tenant": statement.tenant_name, "slug": statement.tenant_slug, "period": statement.period.description,
                "first": statement.period.firstDay.description, "last": statement.period.lastDay.description,
                "id": statement.id.description,
                "closed": statement.closed_at.formatted(.iso8601), "events": statement.events.grouped, "digest": statement.digest,
                "lines": lines, "totals": statement.totals.map { ["amount": "\($0.amount) \($0.currency)"] },
                "nothing": lines.isEmpty,
            ] as [String: Any])
    }

    // The template is a constant: that it parses is seen at the first page.
    private static let template = try! MustacheTemplate(
        string: """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="robots" content="noindex">
            <title>Statement {{period}}, {{tenant}}</title>
            <style>
            :root { color-scheme: light; font: 15px/1.5 system-ui, sans-serif; }
            body { margin: 0 auto; max-width: 52rem; padding: 2rem; color: #111; background: #fff; }
            h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 1rem; }
            dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1.5rem; margin: 0 0 2rem; }
            dt { color: #555; }
            dd { margin: 0; overflow-wrap: anywhere; }
            table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
            th, td { padding: .4rem .5rem; text-align: left; vertical-align: top; border-bottom: 1px solid #ccc; }
            th { font-weight: 600; }
            td:nth-child(n+3), th:nth-child(n+3) { text-align: right; white-space: nowrap; }
            thead { display: table-header-group; }
            tr { break-inside: avoid; }
            tfoot td, tfoot th { border-bottom: 0; border-top: 2px solid #111; font-weight: 600; }
            footer { margin-top: 2rem; color: #555; font-size: .85rem; }
            @media print { body { max-width: none; padding: 0; } @page { margin: 2cm; } }
            </style>
            <h1>Statement {{period}}</h1>
            <dl>
            <dt>For</dt><dd>{{tenant}} ({{slug}})</dd>
            <dt>Period</dt><dd>{{first}} to {{last}}, UTC</dd>
            <dt>Statement</dt><dd>{{id}}</dd>
            <dt>Closed</dt><dd>{{closed}}</dd>
            </dl>
            <table>
            <thead><tr><th>Description</th><th>Rate card</th><th>Quantity</th><th>Unit price</th><th>Amount</th></tr></thead>
            <tbody>
            {{#lines}}
            <tr><td>{{description}}</td><td>{{price_list}}</td><td>{{quantity}}</td><td>{{unit_price}}</td><td>{{amount}}</td></tr>
            {{/lines}}
            {{#nothing}}
            <tr><td colspan="5">Nothing was used.</td></tr>
            {{/nothing}}
            </tbody>
            <tfoot>
            {{#totals}}
            <tr><th colspan="4">Total</th><td>{{amount}}</td></tr>
            {{/totals}}
            </tfoot>
            </table>
            <footer>
            <p>A statement does not change after it is closed. What comes late is corrected on the next one.</p>
            <p>It is over {{events}} events with the SHA-256 {{digest}}.</p>
            </footer>
            </html>

            """)
}

extension StatementLine.Kind {
    /// Whether a line's quantity is days of a fee for a month.
    fileprivate var isByDays: Bool { self == .baseFee || self == .minimum }
}
