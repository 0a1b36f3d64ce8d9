package import Foundation
package import Postgres
import Web

/// Who did what to what, from where, and what it was before and after. Written by the transaction that does it; appended, never
/// changed: the server's role may only insert, and each event carries the hash of its tenant's last one.
package struct AuditEvent: Identified, Sendable {
    package static let idPrefix = "audit"

    /// Who acts, and where the request came from.
    package struct Origin: Sendable {
        /// The id of an API key or an application, or `system`.
        package let actor: String
        package let address: String?
        package let requestID: String?

        package init(actor: String, address: String?, requestID: String?) {
            (self.actor, self.address, self.requestID) = (actor, address, requestID)
        }

        /// What happens by itself: the daily check, the end of a grace period.
        package static let system = Origin(actor: "system", address: nil, requestID: nil)
    }

    /// The last statement of its transaction: from here to the end of it, whoever else writes into this trail waits. What was to be
    /// locked is locked by then, a webhook event's endpoints too, so that nobody who waits here is waited for.
    ///
    /// - Parameters:
    ///   - owner: whose trail it goes into.
    ///   - action: the `operationId` of what was done.
    ///   - subject: the id of what it was done to.
    ///   - before, after: what callers of the API see of it, without any secret.
    package static func insert(
        _ action: String, of subject: String, owner: UUID, by origin: Origin, before: (any Encodable)? = nil, after: (any Encodable)? = nil,
        at now: Date
    ) throws -> SQL {
        let (before, after) = try kept(try before.map(json), try after.map(json))
        return """
            INSERT INTO audit_event (tenant_id, id, occurred_at, actor, action, subject, address, request_id, before, after)
            VALUES (\(owner), \(ID<AuditEvent>(at: now)), \(now), \(origin.actor), \(action), \(subject), \(origin.address),
                \(origin.requestID), \(before), \(after))
            """
    }

    /// Above this many bytes, members that did not change are left out. Otherwise a short change of something large would append all of
    /// it twice to a trail that is never shortened.
    private static let largestWhole = 8192

    private static func kept(_ before: JSON?, _ after: JSON?) throws -> (JSON?, JSON?) {
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
