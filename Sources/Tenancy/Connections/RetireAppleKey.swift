import Access
import Foundation
import Hummingbird
import Postgres
import Web

extension ConnectionRoutes {
    /// Retires a key permanently, and deletes its private part.
    @Sendable
    func retireAppleKey(_ request: Request, _ call: some ActingContext) async throws -> Response {
        try call.require(.connectionsWrite)
        try call.requireRecentSignIn(at: now())
        let (now, actor, connection) = (now(), ConnectionActor(call), try call.connectionInPath)
        let id = try call.id("appleKey", of: "Apple key", as: AppleKey.self)
        try await JSONFields(request, isOptional: true).requireEmpty()
        let isInUse = actor.isPlatform ? try await isSharedConnectionInUse() : false
        let (reply, version) = try await actor.database(pool).transaction { db in
            let before = try await lock(connection, for: actor, request, in: db)
            guard let key = before.keys.first(where: { $0.id == id }) else { throw Problem.notFound("Apple key") }
            switch key.state {
            case .current where isInUse || before.isServing:
                throw Problem(.conflict, "This key is in use for logins. Promote another key first.")
            case .retired: return (AppleKeyReply(key), before.updatedAt)
            case .current, .next, .previous: break
            }
            _ = try await db.run([AppleKey.retire(id, owner: actor.owner, at: now), before.touch(at: now)])
            return try await changed(id, before, for: actor, at: now, in: db)
        }
        return try .resource(reply, updatedAt: version)
    }
}
