import Encoding
package import Foundation
package import Postgres
import Web

/// An appended record of an action, with its actor, target, origin, and the states before and after.
///
/// The transaction of the action inserts it. It never changes, because the server's role can only insert. Each event contains the hash of
/// its tenant's previous event.
package struct AuditEvent: Identified, Sendable {
    package static let idPrefix = "audit"

    /// The actor, and the origin of the request.
    package struct Origin: Sendable {
        /// The ID of an API key, a person, an application or an initial access token, or `system`.
        package let actor: String
        package let address: String?
        package let requestID: String?
        /// The session of the person. Nil for every other actor.
        package let session: ID<PersonSession>?
        /// The support access during which the person acts.
        package let support: ID<SupportAccess>?

        package init(
            actor: String, address: String?, requestID: String?, session: ID<PersonSession>? = nil, support: ID<SupportAccess>? = nil
        ) {
            (self.actor, self.address, self.requestID) = (actor, address, requestID)
            (self.session, self.support) = (session, support)
        }

        /// The origin of automatic actions: the daily check, the end of a grace period.
        package static let system = Origin(actor: "system", address: nil, requestID: nil)
    }

    /// Inserts the event as the last statement of its transaction.
    ///
    /// Until the transaction ends, all other writers of this trail wait. All other locks are taken before, including those on the endpoints
    /// of a webhook event. So a transaction that waits here never blocks the lock holder.
    ///
    /// - Parameters:
    /// - owner: the owner of the trail.
    /// - action: the `operationId` of the action.
    /// - subject: the ID of the target.
    /// - before, after: the target as callers of the API see it, without any secret.
    package static func insert(
        _ action: String, of subject: String, owner: UUID, by origin: Origin, before: (any Encodable)? = nil, after: (any Encodable)? = nil,
        at now: Date
    ) throws -> SQL {
        let (before, after) = try shortened(try before.map(json), try after.map(json))
        return """
            INSERT INTO audit_event (tenant_id, id, occurred_at, actor, action, subject, address, request_id, before, after, session_id,
                support_access_id)
            VALUES (\(owner), \(ID<AuditEvent>(at: now)), \(now), \(origin.actor), \(action), \(subject), \(origin.address),
                \(origin.requestID), \(before), \(after), \(origin.session?.description), \(origin.support?.description))
            """
    }

    /// Inserts an event per row of a source, as a part of a statement that changes the rows.
    /// - Parameters:
    ///   - source: The rows, as the rest of a `SELECT` after its columns: `FROM …`.
    ///   - subject, before, after: Expressions over the source: text, and JSON or NULL.
    package static func insertion(
        _ action: String, owner: UUID, actor: String, subject: SQL, before: SQL = "NULL::jsonb", after: SQL = "NULL::jsonb", source: SQL,
        at now: Date
    ) -> SQL {
        """
        INSERT INTO audit_event (tenant_id, id, occurred_at, actor, action, subject, before, after)
        SELECT \(owner), \(ID<AuditEvent>(at: now)), \(now), \(actor), \(action), \(part: subject), \(part: before), \(part: after)
        \(part: source)
        """
    }

    /// Selects the times of an action on a target since a time, newest first.
    package static func times(of action: String, subject: String, owner: UUID, since: Date, upTo limit: Int) -> SQL {
        """
        SELECT occurred_at FROM audit_event
        WHERE tenant_id = \(owner) AND action = \(action) AND occurred_at > \(since) AND subject = \(subject)
        ORDER BY occurred_at DESC LIMIT \(limit)
        """
    }

    /// Selects the number and the hash of the last event of a trail.
    package static func last(of owner: UUID) -> SQL {
        """
        SELECT sequence, encode(hash, 'hex') AS hash FROM audit_event WHERE tenant_id = \(owner)
        ORDER BY sequence DESC LIMIT 1
        """
    }

    /// Above this number of bytes, unchanged members are omitted. Otherwise a small change of a large object would append the whole object
    /// twice to a trail that is never shortened.
    private static let largestWhole = 8192

    private static func shortened(_ before: JSON?, _ after: JSON?) throws -> (JSON?, JSON?) {
        guard let before, let after, before.bytes.count + after.bytes.count > largestWhole,
            case .object(var old) = try JSONValue(json: before.bytes), case .object(var new) = try JSONValue(json: after.bytes)
        else { return (before, after) }
        for (name, value) in old where name != "id" && name != "object" {
            guard let other = new[name], try json(value).bytes == json(other).bytes else { continue }
            (old[name], new[name]) = (nil, nil)
        }
        return (try json(JSONValue.object(old)), try json(JSONValue.object(new)))
    }

    private static func json(_ value: any Encodable) throws -> JSON {
        JSON(bytes: try JSONWriter.encode(value))
    }
}
