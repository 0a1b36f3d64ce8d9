import Access
import Hummingbird
import Mail
import Pages
import Postgres
import Web

extension PersonRoutes {
    /// Removes the authenticator app, the passkeys and the recovery codes of a person who has lost them, and ends all sessions. The password
    /// stays, so the person signs in with it and sets a new factor up. The person gets a mail, if the server sends mails.
    @Sendable
    func resetPersonFactors(_ request: Request, _ call: PlatformContext) async throws -> Response {
        try call.require(.membersWrite)
        try call.requireRecentSignIn(at: now())
        let id = try call.id("person", of: "person", as: Person.self)
        let (now, origin) = (now(), call.origin)
        let person = try await call.platformDatabase(pool).transaction { db in
            guard try await !db.run(Person.lock(id)).isEmpty, let before = try await ListedPerson.find(id, in: db, at: now)
            else { throw Problem.notFound("person") }
            try await requireGrant(before, call, in: db)
            _ = try await db.run(
                Person.removeFactors(of: id) + [
                    PersonSession.endOthers(of: id, than: nil, .ended, at: now),
                    Person.resetFailures(.code, of: id),
                    Person.resetFailures(.recovery, of: id),
                ])
            guard let after = try await ListedPerson.find(id, in: db, at: now) else { throw Problem.notFound("person") }
            if mail != nil,
                let notice = try before.person.notice(.factorsReset, publicURL: publicURL, from: nil, keyring: keyring, at: now)
            {
                _ = try await db.run(notice)
            }
            _ = try await db.run(
                try AuditEvent.insert(
                    "resetPersonFactors", of: id.description, owner: .platform, by: origin, before: PersonReply(before),
                    after: PersonReply(after), at: now))
            return after
        }
        return try .json(PersonReply(person))
    }
}
