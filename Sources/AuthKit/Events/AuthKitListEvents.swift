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
        let (wanted, rest) = try Self.types(in: request.uri.query ?? "")
        let query = try Query(rest, ["limit", "after", "before", "order", "range_start", "range_end", "organization_id"])
        let limit = try query.integer("limit", 1...100) ?? 10
        let order = try query.choice("order", Order.self) ?? .asc
        let (after, before) = (try position("after", query), try position("before", query))
        guard after == nil || before == nil else { throw Problem.invalid(.init("before", "Set `after` or `before`, not both.")) }
        let (rangeStart, rangeEnd) = (try query.time("range_start"), try query.time("range_end"))
        let organization = try query.text("organization_id")

        let now = now()
        let kinds = WorkOSEvent.Kind.allCases.filter { wanted?.has($0.rawValue) ?? true }
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

    /// The wanted types of event, nil for all, and the other parameters. WorkOS's libraries separate the types with commas, repeat the
    /// parameter, or name it `events[]`.
    private static func types(in query: String) throws -> (wanted: [String]?, rest: String) {
        var (wanted, rest): ([String]?, [Substring]) = (nil, [])
        for parameter in query.parts(at: "&") {
            let halves = parameter.parts(at: "=", atMost: 2, includingEmpty: true)
            guard let name = Form.decode(String(halves[0])), ["events", "events[]"].has(name) else {
                rest.append(parameter)
                continue
            }
            guard let value = Form.decode(String(halves.last ?? "")), halves.count == 2, !value.isEmpty
            else { throw Problem.invalid(.init("events", "It must be types of event, separated by commas.")) }
            wanted = (wanted ?? []) + value.parts(at: ",").map(String.init)
        }
        return (wanted, rest.joined(separator: "&"))
    }

    private func position(_ name: String, _ query: Query) throws -> UUID? {
        guard let text = try query.text(name) else { return nil }
        guard let position = WorkOSEvent.position(text) else { throw Problem.invalid(.init(name, "It must be the ID of an event.")) }
        return position
    }
}
