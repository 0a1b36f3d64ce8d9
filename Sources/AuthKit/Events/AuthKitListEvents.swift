import Access
import Delivery
import Encoding
import Foundation
import Hummingbird
import Postgres
import Web

private enum Order: String, CaseIterable {
    case asc, desc
}

extension AuthKitEventRoutes {
    /// Lists what happened in the last 30 days, oldest first. Unknown types of event select nothing.
    @Sendable
    func authKitListEvents(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.usersRead)
        try call.require(.sessionsRead)
        let query = try Query(
            request.uri.query ?? "",
            ["limit", "after", "before", "order", "events", "events[]", "range_start", "range_end", "organization_id"])
        let limit = try query.integer("limit", 1...100) ?? 10
        let order = try query.choice("order", Order.self) ?? .asc
        let (after, before) = (try position("after", query), try position("before", query))
        guard after == nil || before == nil else { throw Problem.invalid(.init("before", "Set `after` or `before`, not both.")) }
        let wanted = try query.text("events", upTo: 10_000) ?? query.text("events[]", upTo: 10_000)
        let (rangeStart, rangeEnd) = (try query.time("range_start"), try query.time("range_end"))
        let organization = try query.text("organization_id")

        let now = now()
        let kinds = WorkOSEvent.Kind.allCases.filter { wanted?.parts(at: ",").has($0.rawValue) ?? true }
        let start = max(rangeStart ?? .distantPast, now.addingTimeInterval(-WebhookEvent.retention))
        let end = min(rangeEnd ?? .distantFuture, now.addingTimeInterval(-settling))
        var events: [WorkOSEvent] = []
        // A page before an event is selected from the event backwards.
        let isBackward = before != nil
        if !kinds.isEmpty, organization.map({ WorkOSID.tenant($0) == call.tenant }) ?? true {
            let isAscending = (order == .asc) != isBackward
            let page = FeedPage(
                after: order == .asc ? after : before, before: order == .asc ? before : after, from: start, until: end,
                isDescending: !isAscending, limit: limit + 1)
            let database = call.database(pool)
            let rows = try await database.run(EventRow.select(kinds, page, of: call.tenant, from: start, at: now)).compactMap(EventRow.init)
            events = try await EventRow.events(rows, in: database, of: call.tenant, at: now)
        }
        let hasMore = events.count > limit
        events = Array(events.prefix(limit))
        if isBackward { events.reverse() }
        let (hasEarlier, hasLater) = isBackward ? (hasMore, true) : (after != nil, hasMore)
        return try .json(
            WorkOSList(
                data: events,
                list_metadata: .init(before: hasEarlier ? events.first?.id : nil, after: hasLater ? events.last?.id : nil)))
    }

    private func position(_ name: String, _ query: Query) throws -> UUID? {
        guard let text = try query.text(name) else { return nil }
        guard let position = WorkOSEvent.position(text) else { throw Problem.invalid(.init(name, "It must be the ID of an event.")) }
        return position
    }
}
