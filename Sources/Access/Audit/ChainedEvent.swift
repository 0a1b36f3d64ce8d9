import Crypto
package import Foundation
package import Postgres

/// A stored audit event, used to check its hash.
package struct ChainedEvent: Sendable {
    package let owner: UUID
    package let id: ID<AuditEvent>
    package let sequence: Int
    /// Microseconds since 1970, UTC.
    package let occurredAt: Int
    package let actor, action, subject: String
    package let address, requestID: String?
    /// In PostgreSQL's text form of `jsonb`.
    package let before, after: JSON?
    package let session, support: String?
    package let previousHash: [UInt8]?
    package let hash: [UInt8]

    package init(_ row: Row) throws {
        owner = try row.get("tenant_id")
        id = try row.get("id")
        sequence = try row.get("sequence")
        occurredAt = try row.get("microseconds")
        actor = try row.get("actor")
        action = try row.get("action")
        subject = try row.get("subject")
        address = try row.get("address")
        requestID = try row.get("request_id")
        before = try row.get("before")
        after = try row.get("after")
        session = try row.get("session_id")
        support = try row.get("support_access_id")
        previousHash = try row.get("previous_hash")
        hash = try row.get("hash")
    }

    static let pageSize = 1000

    static func page(of owner: UUID, after sequence: Int, _ id: UUID) -> SQL {
        """
        SELECT tenant_id, id, sequence, (extract(epoch FROM occurred_at) * 1000000)::bigint AS microseconds, actor, action, subject,
            address, request_id, before, after, session_id, support_access_id, previous_hash, hash
        FROM audit_event WHERE tenant_id = \(owner) AND (sequence, id) > (\(sequence), \(id))
        ORDER BY sequence, id LIMIT \(pageSize)
        """
    }

    /// The expected hash: of the previous hash and of every field with its length in front. The session and the support access are fields
    /// only if the event has one of them. So events from before these fields keep their hashes.
    ///
    /// The database chains events with its own function `audit_event_hash`. This second implementation is separate, so a change of that
    /// function does not change the check.
    package var computedHash: [UInt8] {
        var fields: [[UInt8]?] = [
            Array(owner.uuidString.lowercased().utf8), Array(String(sequence).utf8), Array(id.uuid.uuidString.lowercased().utf8),
            Array(time.utf8), Array(actor.utf8), Array(action.utf8), Array(subject.utf8), address.map { Array($0.utf8) },
            requestID.map { Array($0.utf8) }, before?.bytes, after?.bytes,
        ]
        if session != nil || support != nil { fields += [session, support].map { $0.map { Array($0.utf8) } } }
        var bytes = previousHash ?? []
        for (position, field) in fields.enumerated() {
            if position > 0 { bytes.append(UInt8(ascii: ",")) }
            guard let field else {
                bytes.append(UInt8(ascii: "-"))
                continue
            }
            bytes += Array("\(field.count):".utf8) + field
        }
        return Array(SHA256.hash(data: bytes))
    }

    /// `2026-11-21T12:34:56.000789`, in UTC.
    private var time: String {
        let seconds = (Double(occurredAt) / 1_000_000).rounded(.down)
        let microseconds = String(occurredAt - Int(seconds) * 1_000_000)
        // Removes the trailing `Z`.
        return Date(timeIntervalSince1970: seconds).formatted(Date.ISO8601FormatStyle(timeZone: .gmt)).dropLast() + "."
            + String(repeating: "0", count: 6 - microseconds.count) + microseconds
    }
}
