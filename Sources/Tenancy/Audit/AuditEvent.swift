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
        """
        INSERT INTO audit_event (tenant_id, id, occurred_at, actor, action, subject, address, request_id, before, after)
        VALUES (\(owner), \(ID<AuditEvent>(at: now)), \(now), \(origin.actor), \(action), \(subject), \(origin.address),
            \(origin.requestID), \(try before.map(json)), \(try after.map(json)))
        """
    }

    private static func json(_ value: any Encodable) throws -> JSON {
        JSON(bytes: try JSONWriter.encode(value))
    }
}
