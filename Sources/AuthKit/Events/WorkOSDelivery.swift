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
    package static func body(of emitted: EmittedEvent, in database: OwnerDatabase) async throws -> [UInt8] {
        let data = try JSONValue(json: emitted.data.bytes)
        let event = try await event(emitted, data, in: database, ID<Tenant>(database.owner))
        return try JSONWriter.encode(
            event ?? WorkOSEvent(other: emitted.type, emitted.id.description, data, at: emitted.occurredAt))
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
            let found = try await WorkOSUser.find(user, in: database, of: tenant)
            return WorkOSEvent(
                .userCreated, at: FeedPage.position(WorkOSEvent.Kind.userCreated.inFeed, of: user.uuid),
                .user(found ?? WorkOSUser(deleted: user, at: emitted.occurredAt)))
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
            let session = found.map { WorkOSSession($0, .revoked, of: tenant) }
            return WorkOSEvent(
                .sessionRevoked, at: position,
                .session(
                    session
                        ?? WorkOSSession(deleted: WorkOSSessionID(id, of: nil), .revoked, of: user, tenant, at: emitted.occurredAt)))
        case .signedIn, .sessionCreated, .userUpdated, nil: return nil
        }
    }
}
