@testable import Billing
import Foundation
import Testing
import TestSupport

extension TestPlatform {
    /// The cells of a page's table, one text per row.
    private static func rows(_ page: String) -> [String] {
        page.matches(of: #/<tr><td>(.*?)</td></tr>/#).map {
            String($0.output.1).replacing(#/</td><td class="number"[^>]*>/#, with: " | ").replacing("&#39;", with: "'")
        }
    }

    /// The expected rows according to the response of `estimatePrice`.
    private static func rows(_ estimate: TestBrowser.Answer) throws -> [String] {
        try #require(estimate.json["lines"] as? [[String: any Sendable]]).map { line in
            """
            \(line["description"]!) | \((line["quantity"] as! Int).grouped) | \(line["unit_price"]!) | \
            \(line["amount"]!) \(estimate.json["currency"]!)
            """
        }
    }

    /// Requires that a page has the numbers of an estimate.
    static func isShown(_ page: TestBrowser.Answer, _ estimate: TestBrowser.Answer) throws {
        #expect(page.status == 200 && estimate.status == 200, "\(page.body)\(estimate.body)")
        #expect(try rows(page.body) == rows(estimate))
        let currency = estimate.json["currency"] as? String ?? ""
        #expect(page.body.contains("<th colspan=\"3\">Total</th><td class=\"number\">\(estimate.json["total"]!) \(currency)</td>"))
        let card = try #require(estimate.json["rate_card"] as? [String: any Sendable])
        #expect(page.body.contains("version \(card["version"]!), of \(card["effective_from"]!), in effect on \(estimate.json["on"]!)"))
        guard let next = estimate.json["next_tier"] as? [String: any Sendable] else {
            #expect(page.body.contains("This price applies to all further logins."))
            return
        }
        let change = try #require(next["change"] as? String)
        let words = [
            "Starting with login \((next["from_login"] as! Int).grouped) ", "(\((next["additional_logins"] as! Int).grouped) more)",
            "\(next["unit_price"]!) \(currency)", "costs \(next["total"]!) \(currency)",
            change.hasPrefix("-") ? "\(change.dropFirst()) less." : "\(change) more.",
        ]
        for word in words { #expect(page.body.contains(word), "\(word)") }
    }
}
