import Access
import Encoding
import Foundation
import Ledger
import Postgres
import Sessions
import Tenancy
import Users

/// An event in the feed, without its data.
struct EventRow: Sendable {
    private enum Subject: Sendable {
        case user(ID<User>)
        case login(ID<Session>, ID<User>, ID<Application>)
        case session(ID<Session>)
    }

    let position: UUID
    private let kind: WorkOSEvent.Kind
    private let subject: Subject

    /// Nil if the row names no object, which no version of Espalier writes.
    init?(_ row: Row) throws {
        guard let kind = WorkOSEvent.Kind(rawValue: try row.get("kind")) else { return nil }
        let text = try row.get("subject", as: String.self)
        let ids = text.parts(at: " ").map { UUID(uuidString: String($0)) }
        let subject: Subject? =
            switch kind {
            case .userCreated: ids.first.flatMap(\.self).map { .user(ID($0)) }
            case .userUpdated, .userDeleted: ID<User>(text).map { .user($0) }
            case .sessionRevoked: ids.first.flatMap(\.self).map { .session(ID($0)) }
            case .signedIn, .sessionCreated:
                if ids.count == 3, let login = ids[0], let user = ids[1], let application = ids[2] {
                    .login(ID(login), ID(user), ID(application))
                } else {
                    nil
                }
            }
        guard let subject else { return nil }
        (position, self.kind, self.subject) = (try row.get("position"), kind, subject)
    }

    /// Selects the events of these kinds.
    static func select(_ kinds: [WorkOSEvent.Kind], _ page: FeedPage, of tenant: ID<Tenant>, from start: Date, at now: Date) -> SQL {
        page.merge(
            kinds.flatMap { kind in
                switch kind {
                case .userCreated: [User.creations(page, kind.inFeed, of: tenant)]
                case .signedIn, .sessionCreated: UsageEvent.logins(page, kind.inFeed, of: tenant, from: start, at: now)
                case .sessionRevoked: [Session.ends(page, kind.inFeed, of: tenant)]
                case .userUpdated, .userDeleted: AuditEvent.events(page, kind.inFeed, actions: kind.actions, of: tenant.uuid)
                }
            })
    }

    /// The events with their data.
    static func events(_ rows: [EventRow], in database: OwnerDatabase, of tenant: ID<Tenant>, at now: Date) async throws -> [WorkOSEvent] {
        var (userIDs, sessionIDs) = (Set<ID<User>>(), Set<ID<Session>>())
        for row in rows {
            switch row.subject {
            case .user(let user): userIDs.insert(user)
            case .session(let session): sessionIDs.insert(session)
            case .login(let session, let user, _):
                sessionIDs.insert(session)
                userIDs.insert(user)
            }
        }
        let (foundUsers, foundSessions) = try await database.run(
            UserReply.live(Array(userIDs), of: tenant), SessionReply.all(Array(sessionIDs), of: tenant))
        let users = Dictionary(
            uniqueKeysWithValues: try await WorkOSUser.all(foundUsers.map(UserReply.init), in: database, of: tenant).map { ($0.id, $0) })
        let sessions = Dictionary(uniqueKeysWithValues: try foundSessions.map { try SessionReply($0, at: now) }.map { ($0.id, $0) })
        return rows.map { WorkOSEvent($0.kind, at: $0.position, $0.content(users, sessions, of: tenant)) }
    }

    private func content(
        _ users: [ID<User>: WorkOSUser], _ sessions: [ID<Session>: SessionReply], of tenant: ID<Tenant>
    ) -> WorkOSEvent.Content {
        let time = FeedPage.time(of: position)
        switch subject {
        case .user(let user): return .user(users[user] ?? WorkOSUser(deleted: user, at: time))
        case .session(let id):
            let session = sessions[id].map { WorkOSSession($0, .revoked, of: tenant) }
            return .session(session ?? WorkOSSession(deleted: WorkOSSessionID(id, of: nil), .revoked, of: nil, tenant, at: time))
        case .login(let id, let user, let application):
            // The sessions of a user whose Apple account was deleted are kept for a while, with their addresses.
            let found = users[user] == nil ? nil : sessions[id]
            if kind == .signedIn { return .signIn(.init(user, email: users[user]?.email, found)) }
            let session = found.map { WorkOSSession($0, .active, of: tenant) }
            return .session(
                session ?? WorkOSSession(deleted: WorkOSSessionID(id, of: application), .active, of: user, tenant, at: time))
        }
    }
}
