import Access
@testable import Delivery
import Foundation
import Postgres
@testable import Tenancy
import TestSupport
import Testing

/// `AnswerTests` compares every response. These tests prove that the comparison detects a wrong order, and compare
/// webhooks.
@Suite("Member order")
struct MemberOrderTests {
    @Test("another order is detected, even inside lists and behind references")
    func notices() throws {
        let order = try MemberOrder()
        let list = ["components", "schemas", "TenantList"]
        let metadata = #""list_metadata":{"before":null,"after":null}"#
        #expect(
            order.violations(json: #"{"object":"list","data":[{"id":"x","object":"tenant","name":"\u0601\u2028"}],\#(metadata)}"#, at: list)
                == [])
        #expect(order.violations(json: #"{"data":[],"object":"list",\#(metadata)}"#, at: list).count == 1)
        #expect(order.violations(json: #"{"object":"list","data":[{"id":"x"},{"object":"tenant","id":"x"}]}"#, at: list).count == 1)
        #expect(order.violations(json: #"{"object":"list","list_metadata":{"after":null,"before":null}}"#, at: list).count == 1)
        #expect(order.violations(json: "{}", at: ["components", "schemas", "Nothing"]).count == 1)
    }

    @Test("a webhook's body has the order of the spec, although PostgreSQL stores its data in another order")
    func webhooks() throws {
        let order = try MemberOrder()
        #expect(order.events.count == WebhookEvent.Kind.allCases.count + 1)
        for event in order.events {
            let members = order.members(ofEvent: event)
            #expect(Set(members).isSubset(of: EventData.members), "\(event)")
            // The order of `jsonb`: shorter names first. Inside, the totals of a statement.
            let stored = members.sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }.map { name in
                "\"\(name)\": " + (name == "totals" ? #"[{"amount": "2.00", "currency": "USD", "amount_micros": 2000000}]"# : "1")
            }
            let delivered = WebhookDelivery.Event(
                id: .init(at: Date()), type: event, occurredAt: Date(),
                data: JSON(bytes: Array("{\(stored.joined(separator: ", "))}".utf8)), actor: nil)
            let body = String(decoding: try DeliverWebhook.body(of: delivered), as: UTF8.self)
            #expect(order.violations(body: body, ofEvent: event) == [], "\(body)")
        }
    }
}
