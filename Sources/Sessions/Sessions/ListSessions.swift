package import Access
import Hummingbird
import Postgres
import Web

extension SessionRoutes {
    @Sendable
    func listSessions(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.sessionsRead)
        let query = try Query(request, "limit", "after", "before", "user", "application", "status")
        let page = try query.page
        let filter = SessionReply.Filter(
            user: try query.id("user"), application: try query.id("application"), status: try query.choice("status"))
        let now = now()
        let sessions = try await call.database(pool).run(SessionReply.page(page, of: call.tenant, filter, at: now))
            .map { try SessionReply($0, at: now) }
        return try .json(Page(sessions, of: page, id: { $0.id.uuid }) { $0 })
    }
}

extension Query {
    /// The ID in a filter.
    package func id<Entity: Identified>(_ name: String, as _: Entity.Type = Entity.self) throws -> ID<Entity>? {
        guard let text = try text(name) else { return nil }
        guard let id = ID<Entity>(text) else {
            throw Problem.invalid(.init(name, "It must be an ID that starts with `\(Entity.idPrefix)_`."))
        }
        return id
    }
}
