import Access
import Foundation
import Hummingbird
import Postgres
import Web

extension ConnectionRoutes {
    /// Deletes a connection with its keys. Apple's identifiers of users who signed in through it remain stored.
    @Sendable
    func deleteConnection(_ request: Request, _ call: some ActingContext) async throws -> Response {
        try call.require(.connectionsWrite)
        let (now, actor, id) = (now(), ConnectionActor(call), try call.connectionInPath)
        let isShared = actor.isPlatform
        let isInUse = isShared ? try await isSharedConnectionInUse() : false
        do {
            try await actor.database(pool).transaction { db in
                let details = try await lock(id, for: actor, request, in: db)
                guard !isInUse, !details.isServing else { throw Self.isServing(isShared) }
                let connection = details.connection.id
                _ = try await db.run([
                    "DELETE FROM connection WHERE tenant_id = \(actor.owner) AND id = \(connection)",
                    try actor.audit(connection, before: reply(details, to: actor), at: now),
                ])
            }
        } catch let error as DatabaseError where error.sqlState == "23503" {
            // The connection was activated since the check.
            throw Self.isServing(isShared)
        }
        return .noContent
    }

    private static func isServing(_ isShared: Bool) -> Problem {
        Problem(
            .conflict,
            isShared
                ? "Tenants use this connection for sign-in. First activate each tenant's own connection."
                : "This connection is in use. First activate another connection or the shared one.")
    }
}
