import Access
import Foundation
import Hummingbird
import Postgres
import Tenancy
import Web

/// The usage of one tenant in the list.
private struct OfTenant: Encodable {
    let tenant_id: ID<Tenant>
    let slug: String
    let logins: Int
    let silent_logins: Int
    /// Present if the window is one month or one day.
    let users: Int?
    let complete_until: Date
}

extension UsageRoutes {
    /// Lists every tenant's logins and silent sign-ins in whole UTC days, for operators.
    @Sendable
    func listUsage(_ request: Request, _ call: PlatformContext) async throws -> Response {
        try call.require(.usageRead)
        let query = try Query(request, "from", "to", "limit", "after", "before")
        let now = now()
        let (window, page) = (try Window(query, by: .day, at: now), try query.page)
        let rows = try await call.platformDatabase(pool).run(
            """
            SELECT id, slug, \(part: Self.counted(.login, window)) AS logins, \(part: Self.counted(.silentLogin, window)) AS silent_logins, (
                    SELECT users FROM usage_users
                    WHERE tenant_id = id AND grain = \((window.unit ?? .day).rawValue) AND starts_on = \(Day(window.from))
                        AND application_id = \(UUID.platform) AND connection = ''
                ) AS users,
                LEAST(\(now.addingTimeInterval(-settling)), (SELECT min(occurred_at) FROM usage_arrival WHERE tenant_id = tenant.id))
                    AS complete_until
            FROM (
                SELECT id, slug FROM (\(part: Tenant.slugs)) AS every WHERE id < \(page.upper) AND id > \(page.lower)
                ORDER BY CASE WHEN \(page.isBackward) THEN id END ASC, id DESC LIMIT \(page.fetched)
            ) AS tenant
            ORDER BY CASE WHEN \(page.isBackward) THEN id END ASC, id DESC
            """
        ).map { row in
            OfTenant(
                tenant_id: try row.get("id"), slug: try row.get("slug"), logins: try row.get("logins"),
                silent_logins: try row.get("silent_logins"),
                users: window.unit == nil ? nil : try row.get("users", as: Int?.self) ?? 0,
                complete_until: try row.get("complete_until"))
        }
        return try .json(Page(rows, of: page, id: { $0.tenant_id.uuid }) { $0 })
    }

    /// The number of events of a kind of the tenant `tenant`.
    private static func counted(_ kind: UsageEvent.Kind, _ window: Window) -> SQL {
        """
        ((
            SELECT COALESCE(sum(events), 0) FROM usage_day
            WHERE tenant_id = id AND day >= \(Day(window.from)) AND day < \(Day(window.to)) AND kind = \(kind)
        ) + (
            SELECT count(*) FROM usage_arrival
            WHERE tenant_id = tenant.id AND occurred_at >= \(window.from) AND occurred_at < \(window.to) AND kind = \(kind)
        ))::bigint
        """
    }
}
