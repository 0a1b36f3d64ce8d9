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
        try call.requireRecentSignIn(at: now())
        try await delete(try call.connectionInPath, for: ConnectionActor(call), matching: request, at: now())
        return .noContent
    }

    /// Deletes a connection for a caller that may do this.
    /// - Parameter request: the request whose `If-Match` must name the version; nil in an interface without versions.
    func delete(_ id: ID<Connection>?, for actor: ConnectionActor, matching request: Request?, at now: Date) async throws {
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
    }

    private static func isServing(_ isShared: Bool) -> Problem {
        Problem(
            .conflict,
            isShared
                ? "Tenants use this connection for sign-in. First activate each tenant's own connection."
                : "This connection is in use. First activate another connection or the shared one.")
    }
}
