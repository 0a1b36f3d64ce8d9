import Apple
import Foundation
import Postgres
import Tenancy

extension Login {
    /// Keeps the user that Apple vouches for, and the name, before anything else can fail.
    /// - Throws: `CallbackRefusal.consentEnded`, and what the database throws.
    func keep(
        _ token: IDToken, _ name: AppleUser?, refreshToken: String?, _ asked: Identity.Asked, _ connection: Connection, at now: Date
    ) async throws -> ID<User> {
        // While a relink window is open, whose user it takes over is settled first, in the same transaction.
        var statements = [
            Identity.keep(
                token, name, refreshToken: refreshToken, asked: asked, connection: connection, keyring: keyring, at: now)
        ]
        if let relink = Identity.relink(token, name, asked: asked, connection: connection, at: now) {
            statements.insert(relink, at: 0)
        }
        // Whom Apple itself says to be one of another team's comes before that.
        if let move = Identity.move(token, tenant: asked.tenant, application: asked.application, connection: connection, at: now) {
            statements.insert(move, at: 0)
        }
        let kept = statements.count - 1
        if let audit = Identity.auditMove(token, tenant: asked.tenant, application: asked.application, connection: connection, at: now) {
            statements.append(audit)
        }
        let database = OwnerDatabase(pool, tenant: asked.tenant)
        let rows: [Rows]
        do {
            rows = try await database.run(statements)
        } catch let error as DatabaseError where error.kind == .connection {
            // A connection that broke is no reason to lose the name; done twice, this is as if done once.
            rows = try await database.run(statements)
        }
        guard let user = try rows[kept].first({ try $0.get("id", as: ID<User>.self) })
        else { throw CallbackRefusal.consentEnded }
        return user
    }
}

extension IDToken {
    /// When Apple authenticated the user. Apple's clock may be ahead of ours, or say nonsense: then it was now.
    func authenticatedAt(by now: Date) -> Date {
        authTime.flatMap { (.distantPast...now).contains($0) ? $0 : nil } ?? now
    }
}
