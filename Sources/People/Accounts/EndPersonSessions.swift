import Access
import Hummingbird
import Postgres
import Web

extension PersonRoutes {
    /// Ends all sessions of a person, in browsers and terminals. The person can sign in again.
    @Sendable
    func endPersonSessions(_ request: Request, _ call: PlatformContext) async throws -> Response {
        try call.require(.membersWrite)
        try call.requireRecentSignIn(at: now())
        let id = try call.id("person", of: "person", as: Person.self)
        let (now, origin) = (now(), call.origin)
        let person = try await call.platformDatabase(pool).transaction { db in
            guard try await !db.run(Person.lock(id)).isEmpty else { throw Problem.notFound("person") }
            _ = try await db.run([
                PersonSession.endOthers(of: id, than: nil, .ended, at: now),
                try AuditEvent.insert("endPersonSessions", of: id.description, owner: .platform, by: origin, at: now),
            ])
            return try await ListedPerson.find(id, in: db, at: now)
        }
        guard let person else { throw Problem.notFound("person") }
        return try .json(PersonReply(person))
    }
}
