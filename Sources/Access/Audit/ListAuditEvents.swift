import Encoding
import Foundation
import Hummingbird
import Postgres
import Web

private struct Reply: Encodable {
    let id: ID<AuditEvent>
    let object = "audit_event"
    let occurred_at: Date
    let actor, action, subject: String
    let session_id, support_access_id, address, request_id: String?
    let before, after: JSONValue?
    let sequence: Int
    let hash: String
    let previous_hash: String?
    let created_at, updated_at: Date

    init(_ row: Row) throws {
        id = try row.get("id")
        occurred_at = try row.get("occurred_at")
        actor = try row.get("actor")
        action = try row.get("action")
        subject = try row.get("subject")
        session_id = try row.get("session_id")
        support_access_id = try row.get("support_access_id")
        address = try row.get("address")
        request_id = try row.get("request_id")
        before = try row.get("before", as: JSON?.self).map { try JSONValue(json: $0.bytes) }
        after = try row.get("after", as: JSON?.self).map { try JSONValue(json: $0.bytes) }
        sequence = try row.get("sequence")
        hash = try row.get("hash")
        previous_hash = try row.get("previous_hash")
        (created_at, updated_at) = (occurred_at, occurred_at)
    }
}

extension AuditRoutes {
    /// Lists the trail of a tenant or of the platform.
    func listAuditEvents(_ request: Request, _ call: some ActingContext) async throws -> Response {
        try call.require(.auditRead)
        let query = try Query(request, "actor", "action", "subject", "from", "to", "limit", "after", "before")
        let (actor, action, subject) = (try query.mark("actor"), try query.mark("action"), try query.mark("subject"))
        let (from, to) = (try query.time("from"), try query.time("to"))
        if let from, let to, from >= to { throw Problem.invalid(.init("to", "It must be later than `from`.")) }
        let page = try query.page
        let events = try await call.database(pool).run(
            """
            SELECT id, occurred_at, actor, action, subject, session_id, support_access_id, address, request_id, before,
                after, sequence,
                encode(hash, 'hex') AS hash, encode(previous_hash, 'hex') AS previous_hash
            FROM audit_event
            WHERE tenant_id = \(call.owner) AND id < \(page.upper) AND id > \(page.lower)
                AND (\(actor) IS NULL OR actor = \(actor)) AND (\(action) IS NULL OR action = \(action))
                AND (\(subject) IS NULL OR subject = \(subject))
                AND (\(from) IS NULL OR occurred_at >= \(from)) AND (\(to) IS NULL OR occurred_at < \(to))
            ORDER BY CASE WHEN \(page.isBackward) THEN id END ASC, id DESC LIMIT \(page.fetched)
            """
        ).map { try Reply($0) }
        return try .json(Page(events, of: page, id: \.id.uuid) { $0 })
    }
}

extension Query {
    /// The value of a filter: an ID or the name of an action.
    func mark(_ name: String) throws -> String? {
        guard let text = try text(name) else { return nil }
        guard text.wholeASCIIMatch(of: /[A-Za-z0-9_.-]{1,100}/) != nil
        else { throw Problem.invalid(.init(name, "It must have 1 to 100 characters of A-Z, a-z, 0-9, _, . and -.")) }
        return text
    }
}
