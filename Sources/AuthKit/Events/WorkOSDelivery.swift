package import Access
package import Delivery
import Encoding
import Foundation
import Postgres
import Sessions
import Tenancy
import Users
import Web

/// The body of a delivery in WorkOS's form. The event has the ID that the list of events shows.
package enum WorkOSDelivery {
    /// The largest size of a user in bytes. The other members of a delivery have less than 1 kB, and its body stays below 20 kB.
    private static let largestUser = 19_000

    package static func body(of emitted: EmittedEvent, in database: OwnerDatabase) async throws -> [UInt8] {
        let data = try JSONValue(json: emitted.data.bytes)
        let event = try await event(emitted, data, in: database, ID<Tenant>(database.owner))
        return try JSONWriter.encode(
            event ?? WorkOSEvent(other: emitted.type, emitted.id.description, data, at: emitted.occurredAt))
    }

    /// The user, or none if it was deleted since the event, at Espalier or at Apple.
    private static func live(_ user: ID<User>, in database: OwnerDatabase, of tenant: ID<Tenant>) async throws -> [UserReply] {
        try await database.run(UserReply.live([user], of: tenant)).map(UserReply.init)
    }

    /// Nil for an event that WorkOS does not have.
    private static func event(
        _ emitted: EmittedEvent, _ data: JSONValue, in database: OwnerDatabase, _ tenant: ID<Tenant>
    ) async throws -> WorkOSEvent? {
        guard case .object(let members) = data else { return nil }
        let user = members["user_id"]?.text.flatMap { ID<User>($0) }
        switch WorkOSEvent.Kind(rawValue: emitted.type) {
        case .userCreated:
            guard let user else { return nil }
            let live = try await live(user, in: database, of: tenant)
            var shown = try await WorkOSUser.all(live, in: database, of: tenant).first ?? WorkOSUser(deleted: user, at: emitted.occurredAt)
            // Only metadata can be so large. The receiver can read the user.
            if try JSONWriter.encode(shown).count > largestUser { shown = shown.withoutMetadata }
            return WorkOSEvent(
                .userCreated, at: FeedPage.position(WorkOSEvent.Kind.userCreated.inFeed, of: user.uuid), .user(shown))
        case .userDeleted:
            guard let user else { return nil }
            let position = AuditEvent.position(
                WorkOSEvent.Kind.userDeleted.inFeed, at: emitted.occurredAt, subject: user.description)
            return WorkOSEvent(.userDeleted, at: position, .user(WorkOSUser(deleted: user, at: emitted.occurredAt)))
        case .sessionRevoked:
            guard case .array(let ids)? = members["session_ids"], let id = ids.first?.text.flatMap({ ID<Session>($0) })
            else { return nil }
            let found = try await database.run(SessionReply.all([id], of: tenant))
                .first { try SessionReply($0, at: emitted.occurredAt) }
            let position = Session.position(
                WorkOSEvent.Kind.sessionRevoked.inFeed, ofEnd: found?.ended_at ?? emitted.occurredAt, id)
            let live = if let found { try await live(found.user_id, in: database, of: tenant) } else { [UserReply]() }
            let session =
                if let found, !live.isEmpty {
                    WorkOSSession(found, .revoked, of: tenant)
                } else {
                    WorkOSSession(
                        deleted: WorkOSSessionID(id, of: found?.application_id), .revoked, of: found?.user_id ?? user, tenant,
                        at: found?.ended_at ?? emitted.occurredAt)
                }
            return WorkOSEvent(.sessionRevoked, at: position, .session(session))
        case .signedIn, .sessionCreated, .userUpdated, nil: return nil
        }
    }
}
