import Encoding
package import Foundation
package import Postgres

/// Reads an owner's audit events from first to last and finds every break in their chain.
///
/// Each event contains its number, the hash of the previous event and its own hash. Editing, removing, adding or reordering events breaks
/// the chain, unless the attacker also calculates all later hashes again. A head that was saved elsewhere reveals that attack. It also
/// reveals a removed end.
package struct AuditTrail: Sendable {
    /// The end of a trail at some time. It proves later that no event up to that point has changed.
    package struct Head: Hashable, Sendable, LosslessStringConvertible {
        package let sequence: Int
        /// SHA-256 in hexadecimal digits.
        package let hash: String

        package init(sequence: Int, hash: [UInt8]) {
            (self.sequence, self.hash) = (sequence, hash.hexadecimal)
        }

        /// Parses the form of `description`: `17:9f86d0…`.
        package init?(_ text: String) {
            guard let parts = text.wholeASCIIMatch(of: /([1-9][0-9]{0,17}):([0-9A-Fa-f]{64})/), let sequence = Int(parts.1)
            else { return nil }
            (self.sequence, hash) = (sequence, parts.2.lowercased())
        }

        package var description: String { "\(sequence):\(hash)" }
    }

    /// An inconsistency in the trail and its place.
    package enum Break: Hashable, Sendable, CustomStringConvertible {
        /// The content does not match the hash.
        case changed(Int, ID<AuditEvent>)
        /// The event's own hash matches, but the previous event is not the one that it was appended to.
        case unlinked(Int, ID<AuditEvent>)
        /// The number is not larger than the number of the previous event.
        case misnumbered(Int, ID<AuditEvent>)
        case missing(ClosedRange<Int>)
        /// The event with the number of the saved head has another hash.
        case replaced(Head)
        /// The trail ends before the saved head.
        case cutOff(Head, at: Int)

        package var description: String {
            switch self {
            case .changed(let number, let id): "event \(number) (\(id)) was changed: its content does not match its hash"
            case .unlinked(let number, let id):
                "event \(number) (\(id)) does not follow the previous event: one of them was changed, removed or inserted, and hashed again"
            case .misnumbered(let number, let id): "event \(number) (\(id)) was inserted: its number is already in use"
            case .missing(let numbers) where numbers.count == 1: "event \(numbers.lowerBound) is missing"
            case .missing(let numbers): "events \(numbers.lowerBound) to \(numbers.upperBound) are missing"
            case .replaced(let head): "event \(head.sequence) does not have the expected hash: this event or an earlier one was replaced"
            case .cutOff(let head, let end):
                "the trail ends with event \(end), but once contained event \(head.sequence): its end was removed"
            }
        }
    }

    package private(set) var count = 0
    package private(set) var head: Head?
    package private(set) var breaks: [Break] = []
    private var lastHash: [UInt8]?
    private var isExpectedSeen = false

    package init() {}

    /// Checks the next event of the trail.
    /// - Parameter expected: a saved head of this trail.
    package mutating func read(_ event: ChainedEvent, expecting expected: Head? = nil) {
        let next = (head?.sequence ?? 0) + 1
        if event.sequence < next {
            breaks.append(.misnumbered(event.sequence, event.id))
        } else if event.sequence > next {
            breaks.append(.missing(next...event.sequence - 1))
        } else if event.previousHash != lastHash {
            breaks.append(.unlinked(event.sequence, event.id))
        }
        if event.computedHash != event.hash { breaks.append(.changed(event.sequence, event.id)) }
        count += 1
        let head = Head(sequence: event.sequence, hash: event.hash)
        (self.head, lastHash) = (head, event.hash)
        if let expected, expected.sequence == head.sequence {
            isExpectedSeen = true
            if expected != head { breaks.append(.replaced(expected)) }
        }
    }

    /// Completes the check after the last event.
    package mutating func end(expecting expected: Head?) {
        guard let expected, !isExpectedSeen else { return }
        let end = head?.sequence ?? 0
        // `missing` already reports a gap in the middle.
        if end < expected.sequence { breaks.append(.cutOff(expected, at: end)) }
    }

    // MARK: From the database

    /// Reads an owner's whole trail, 1,000 events at a time. Events appended since the start may be missing.
    package static func verify(_ owner: UUID, expecting expected: Head? = nil, in database: PlatformDatabase) async throws -> AuditTrail {
        var trail = AuditTrail()
        var (sequence, id) = (Int.min, UUID.platform)
        while true {
            let events = try await database.run(ChainedEvent.page(of: owner, after: sequence, id)).map { try ChainedEvent($0) }
            for event in events { trail.read(event, expecting: expected) }
            guard let last = events.last, events.count == ChainedEvent.pageSize else { break }
            (sequence, id) = (last.sequence, last.id.uuid)
        }
        trail.end(expecting: expected)
        return trail
    }

    /// The owner of a trail.
    package struct Owner: Sendable {
        package let id: UUID
        /// Nil for the platform, and for an ID without a tenant. In the second case, somebody has removed the tenant.
        package let slug: String?

        package init(_ row: Row) throws {
            id = try row.get("id")
            slug = try row.get("slug")
        }
    }

    /// All owners that have a trail or can have one, the platform first.
    /// - Parameter tenants: Selects the ID and the slug of every tenant.
    package static func owners(tenants: SQL) -> SQL {
        """
        WITH RECURSIVE tenants AS (\(part: tenants)), owner AS (
            (SELECT tenant_id FROM audit_event ORDER BY tenant_id LIMIT 1)
            UNION ALL
            SELECT (SELECT tenant_id FROM audit_event WHERE tenant_id > owner.tenant_id ORDER BY tenant_id LIMIT 1)
            FROM owner WHERE owner.tenant_id IS NOT NULL)
        SELECT id, slug FROM tenants
        UNION SELECT tenant_id, NULL FROM owner WHERE tenant_id IS NOT NULL AND NOT EXISTS (SELECT FROM tenants WHERE id = owner.tenant_id)
        UNION SELECT \(UUID.platform), NULL
        ORDER BY slug NULLS FIRST, id
        """
    }
}
