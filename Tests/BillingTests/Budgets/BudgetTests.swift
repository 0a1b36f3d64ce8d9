import Access
@testable import Billing
import Foundation
@testable import Ledger
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

@Suite("Budgets")
struct BudgetTests {
    /// The thresholds that webhooks reported, oldest first.
    private static func reported(_ platform: TestPlatform) async throws -> [String] {
        try await platform.ownerPool.run(
            """
            SELECT concat_ws(' ', data->>'period', data->>'percent', data->>'logins', data->>'budget_logins', data->>'logins_refused') AS line
            FROM webhook_event WHERE type = 'usage.threshold' ORDER BY (data->>'logins')::integer, (data->>'percent')::integer
            """
        ).map { try $0.get("line") }
    }

    private static func hook(_ platform: TestPlatform) async throws {
        let made = try await platform.call(
            "POST", "/tenants/acme/webhooks", ["url": "https://hooks.example.com/", "events": ["usage.threshold"]])
        #expect(made.status == 201)
    }

    private static func month(_ date: Date) -> String { String(date.formatted(.iso8601).prefix(7)) }

    @Test("webhooks report 50, 80 and 100 % once per month each, only for the current month, and no login is refused")
    func thresholds() async throws {
        try await TestPlatform.run { platform in
            try await Self.hook(platform)
            #expect(try await platform.call("PUT", "/tenants/acme/budget", ["logins": 10]).status == 200)
            let now = Date()
            let month = Self.month(now)
            func login(_ number: Int, at time: Date = now) async throws {
                try await platform.append(Array(repeating: time, count: number))
                try await platform.rollUp(at: now)
            }
            try await login(4)
            try await login(20, at: now.addingTimeInterval(-40 * 86400))
            #expect(try await Self.reported(platform) == [])
            try await login(1)
            #expect(try await Self.reported(platform) == ["\(month) 50 5 10 false"])
            try await login(1)
            #expect(try await Self.reported(platform).count == 1)
            // Two thresholds are passed at once.
            try await login(5)
            let all = ["\(month) 50 5 10 false", "\(month) 80 11 10 false", "\(month) 100 11 10 false"]
            #expect(try await Self.reported(platform) == all)
            try await login(5)
            #expect(try await Self.reported(platform) == all)
            #expect(try await TestBrowser(platform).tokens(.init(platform.acme))["access_token"] != nil)
            // Another tenant's logins count only for that tenant.
            try await platform.append(Array(repeating: now, count: 20), of: platform.globex)
            try await platform.rollUp(at: now)
            #expect(try await Self.reported(platform) == all)
            // The next month starts at 0.
            let next = now.addingTimeInterval(32 * 86400)
            try await platform.append(Array(repeating: next, count: 5))
            try await platform.rollUp(at: next)
            #expect(try await Self.reported(platform).contains("\(Self.month(next)) 50 5 10 false"))
        }
    }

    @Test("a new budget that is already used up is reported at once, and a raised one when it is reached again")
    func late() async throws {
        try await TestPlatform.run { platform in
            try await Self.hook(platform)
            let now = Date()
            try await platform.append(Array(repeating: now, count: 4))
            try await platform.rollUp(at: now)
            let month = Self.month(now)
            #expect(try await platform.call("PUT", "/tenants/acme/budget", ["logins": 5]).status == 200)
            #expect(try await Self.reported(platform) == ["\(month) 50 4 5 false", "\(month) 80 4 5 false"])
            #expect(try await platform.call("PUT", "/tenants/acme/budget", ["logins": 8]).status == 200)
            #expect(try await Self.reported(platform).count == 3)
            try await platform.append([now])
            try await platform.rollUp(at: now)
            #expect(try await Self.reported(platform).count == 3)
        }
    }

    @Test("the last seconds of a month are reported for that month after its end, once, and refuse no login")
    func lastSeconds() async throws {
        try await TestPlatform.run { platform in
            try await Self.hook(platform)
            #expect(try await platform.call("PUT", "/tenants/acme/budget", ["logins": 10, "hard": true]).status == 200)
            let now = Date()
            let (month, next) = (Self.month(now), Month(now).end)
            let last = next.addingTimeInterval(-0.000001)
            func login(_ number: Int, at time: Date, aggregatedAt now: Date) async throws {
                try await platform.append(Array(repeating: time, count: number))
                try await platform.rollUp(at: now)
            }
            try await login(5, at: last, aggregatedAt: last)
            #expect(try await Self.reported(platform) == ["\(month) 50 5 10 false"])
            try await login(5, at: last, aggregatedAt: next)
            let all = ["\(month) 50 5 10 false", "\(month) 80 10 10 false", "\(month) 100 10 10 false"]
            #expect(try await Self.reported(platform) == all)
            #expect(try await platform.call("GET", "/tenants/acme/budget").json["logins_refused_until"] == nil)
            try await login(1, at: last, aggregatedAt: next)
            #expect(try await Self.reported(platform) == all)

            // The new month is reported as usual. Later events of the old month then change nothing.
            try await login(6, at: next, aggregatedAt: next)
            let more = try await Self.reported(platform)
            #expect(more.count == 4 && more.contains("\(Self.month(next)) 50 6 10 false"))
            try await login(1, at: last, aggregatedAt: next)
            try await login(1, at: next, aggregatedAt: next)
            #expect(try await Self.reported(platform) == more)
            // The month before that is not reported.
            try await login(20, at: last, aggregatedAt: Month(next).end)
            #expect(try await Self.reported(platform) == more)
        }
    }

    @Test("two months aggregated together are both reported, but not for a budget that was set later")
    func bothMonths() async throws {
        try await TestPlatform.run { platform in
            try await Self.hook(platform)
            #expect(try await platform.call("PUT", "/tenants/acme/budget", ["logins": 2]).status == 200)
            let (month, next) = (Self.month(Date()), Month(Date()).end)
            try await platform.append([next.addingTimeInterval(-1), next])
            try await platform.rollUp(at: next)
            #expect(try await Set(Self.reported(platform)) == ["\(month) 50 1 2 false", "\(Self.month(next)) 50 1 2 false"])
            // The budget was set after the end of the month.
            _ = try await platform.ownerPool.run("UPDATE budget SET told_period = NULL, told_percent = 0, updated_at = \(next)")
            try await platform.append([next.addingTimeInterval(-1)])
            try await platform.rollUp(at: next)
            #expect(try await Self.reported(platform).filter { $0.hasPrefix(month) } == ["\(month) 50 1 2 false"])
        }
    }

    @Test("a first budget that is set during the aggregation reports the aggregated logins")
    func atOnce() async throws {
        try await TestPlatform.run { platform in
            try await Self.hook(platform)
            let now = Date()
            try await platform.append(Array(repeating: now, count: 5))
            // The aggregation waits at its comparison, because another transaction is setting a budget.
            let setter = try TestDatabase.pool(platform.database.serverURL)
            let added = try await setter.transaction(prelude: PlatformDatabase.prelude) { db in
                _ = try await db.run(Budget.beingSet)
                let added = Task { try await platform.rollUp(at: now) }
                try await eventually("the sums wait") { try await platform.isWaitedFor(1_651_860_583) }
                _ = try await db.run(
                    """
                    INSERT INTO budget (tenant_id, logins, created_at, updated_at) VALUES (\(ID<Tenant>(platform.acme.id)!), 10, \(now), \(now))
                    """)
                return added
            }
            try await added.value
            #expect(try await Self.reported(platform) == ["\(Self.month(now)) 50 5 10 false"])
            // A change of a budget waits for the aggregation too.
            let watcher = try await setter.transaction(prelude: PlatformDatabase.prelude) { db in
                _ = try await db.run(Budget.beingWatched)
                let answer = Task { try await platform.call("PUT", "/tenants/globex/budget", ["logins": 1]) }
                try await eventually("the budget waits") { try await platform.isWaitedFor(1_651_860_583) }
                return answer
            }
            #expect(try await watcher.value.status == 200)
        }
    }

    @Test("a hard budget refuses logins with a page or an error, sessions continue, and a raised budget permits logins again")
    func hard() async throws {
        try await TestPlatform.run { platform in
            try await Self.hook(platform)
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            #expect(try await platform.call("PUT", "/tenants/acme/budget", ["logins": 1, "hard": true]).status == 200)
            let tokens = try await browser.tokens(request)
            let code = try await browser.signIn(request)
            try await platform.rollUp()
            #expect(try await Self.reported(platform).last?.hasSuffix("100 1 1 true") == true)

            try await eventually("the refusal is in effect") { try await browser.authorize(request).status == 503 }
            let page = try await browser.authorize(request)
            #expect(page.header("Content-Type")?.hasPrefix("text/html") == true)
            #expect(page.body.contains("Sign-in is not available this month"))
            let native = try await browser.send(
                "POST", "\(platform.acme.issuer)/auth/apple/callback", headers: [("Content-Type", "application/json")],
                body: #"{"id_token": "x"}"#)
            #expect(native.status == 503)
            #expect(native.json["error"] as? String == "temporarily_unavailable")
            // Login attempts in progress succeed, and existing sessions continue.
            #expect(try await browser.redeem(try #require(code["code"]), request).status == 200)
            #expect(try await browser.refresh(tokens["refresh_token"] as? String ?? "", request).status == 200)
            #expect(try await TestBrowser(platform).tokens(.init(platform.globex))["access_token"] != nil)

            let shown = try await platform.call("GET", "/tenants/acme/budget")
            #expect(shown.json["logins_refused_until"] is String)
            #expect(try await platform.call("PUT", "/tenants/acme/budget", ["logins": 5, "hard": true]).status == 200)
            try await eventually("the refusal is over") { try await browser.authorize(request).status == 302 }
            #expect(try await platform.call("GET", "/tenants/acme/budget").json["logins_refused_until"] == nil)
        }
    }

    @Test("a refusal ends with its month, with a soft budget, and with the deletion of the budget", arguments: ["month", "soft", "gone"])
    func over(how: String) async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let now = Date()
            #expect(try await platform.call("PUT", "/tenants/acme/budget", ["logins": 1, "hard": true]).status == 200)
            try await platform.append([now])
            try await platform.rollUp(at: now)
            try await eventually("the refusal is in effect") { try await browser.authorize(request).status == 503 }
            switch how {
            case "month":
                _ = try await platform.ownerPool.run("UPDATE budget SET refused_until = now()")
            case "soft":
                #expect(try await platform.call("PUT", "/tenants/acme/budget", ["logins": 1]).status == 200)
            default:
                #expect(try await platform.call("DELETE", "/tenants/acme/budget").status == 204)
            }
            try await eventually("the refusal is over") { try await browser.authorize(request).status == 302 }
        }
    }
}
