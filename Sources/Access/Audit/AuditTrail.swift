package import Foundation
package import Postgres
import Web

/// An owner's audit events, read from the first to the last, with all that breaks their chain.
///
/// Each event carries its number, the hash of the one before and its own. Whoever edits, removes, adds or reorders events
/// breaks that, unless all hashes from there to the end are made anew: against that, and against a cut-off end, a head that
/// was kept elsewhere is compared.
package struct AuditTrail: Sendable {
    /// Where a trail ended at some time: enough to prove later that all up to there is what it was.
    package struct Head: Hashable, Sendable, LosslessStringConvertible {
        package let sequence: Int
        /// SHA-256 in hexadecimal digits.
        package let hash: String

        package init(sequence: Int, hash: [UInt8]) {
            self.sequence = sequence
            let digits = Array("0123456789abcdef".utf8)
            self.hash = String(decoding: hash.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
        }

        /// As `description` writes it: `17:9f86d0…`.
        package init?(_ text: String) {
            guard let parts = text.wholeASCIIMatch(of: /([1-9][0-9]{0,17}):([0-9A-Fa-f]{64})/), let sequence = Int(parts.1)
            else { return nil }
            (self.sequence, hash) = (sequence, parts.2.lowercased())
        }

        package var description: String { "\(sequence):\(hash)" }
    }

    /// What is wrong, and where.
    package enum Break: Hashable, Sendable, CustomStringConvertible {
        /// Its content is not what was hashed.
        case changed(Int, ID<AuditEvent>)
        /// Its own hash holds, but the event before is another than the one it was appended to.
        case unlinked(Int, ID<AuditEvent>)
        /// Its number is not larger than that of the event before.
        case misnumbered(Int, ID<AuditEvent>)
        case missing(ClosedRange<Int>)
        /// The event with the number of the head that was kept is another one.
        case replaced(Head)
        /// It ends before the head that was kept.
        case cutOff(Head, at: Int)

        package var description: String {
            switch self {
            case .changed(let number, let id): "event \(number) (\(id)) was changed: its content does not fit its hash"
            case .unlinked(let number, let id):
                "event \(number) (\(id)) does not follow on the one before: one of the two was changed, removed or put in, and hashed anew"
            case .misnumbered(let number, let id): "event \(number) (\(id)) was put in: its number was taken"
            case .missing(let numbers) where numbers.count == 1: "event \(numbers.lowerBound) is missing"
            case .missing(let numbers): "events \(numbers.lowerBound) to \(numbers.upperBound) are missing"
            case .replaced(let head): "event \(head.sequence) has not the hash that was expected: it, or one before it, was replaced"
            case .cutOff(let head, let end):
                "the trail ends with event \(end), but went on to event \(head.sequence) once: its end was cut off"
            }
        }
    }

    package private(set) var count = 0
    package private(set) var head: Head?
    package private(set) var breaks: [Break] = []
    private var lastHash: [UInt8]?
    private var isExpectedSeen = false

    package init() {}

    /// - Parameter expected: a head of this trail that was kept before.
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

    /// Nothing comes any more.
    package mutating func end(expecting expected: Head?) {
        guard let expected, !isExpectedSeen else { return }
        let end = head?.sequence ?? 0
        // One that is missing in the middle has been told.
        if end < expected.sequence { breaks.append(.cutOff(expected, at: end)) }
    }

    // MARK: From the database

    /// Reads an owner's whole trail, a thousand events at a time. What is appended meanwhile may or may not be among them.
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

    /// An owner of a trail.
    package struct Owner: Sendable {
        package let id: UUID
        /// Nil for the platform, and for what is no tenant's: then somebody has removed the tenant.
        package let slug: String?

        package init(_ row: Row) throws {
            id = try row.get("id")
            slug = try row.get("slug")
        }
    }

    /// All that have a trail or could have one, the platform first.
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
