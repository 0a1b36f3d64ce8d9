package import Foundation
package import Postgres

/// A part of a feed: events that rows of several tables stand for, in the order of their times.
///
/// The position of an event is a UUID: 48 bits of milliseconds, 4 bits for the kind of event, and bits of the row. So one row can stand for
/// several events, and no table has to store a position. The owner of each table selects its events, and the feed merges them.
package struct FeedPage: Sendable {
    /// The kind of an event in a feed.
    package struct Kind: Sendable {
        /// From 0 to 15.
        package let number: UInt8
        package let name: String

        package init(_ number: UInt8, _ name: String) {
            (self.number, self.name) = (number, name)
        }

        fileprivate var digit: String { String(number & 15, radix: 16) }
    }

    /// The positions before the first and after the last event.
    private let lower, upper: UUID
    private let isDescending: Bool
    private let limit: Int

    /// - Parameters:
    ///   - after, before: the positions of events, which are not selected themselves.
    ///   - start, end: the times of the first event, and after the last one.
    ///   - limit: the largest number of events.
    package init(after: UUID?, before: UUID?, from start: Date, until end: Date, isDescending: Bool, limit: Int) {
        lower = max(after ?? Self.first(at: start), Self.first(at: start))
        upper = min(before ?? Self.first(at: end), Self.first(at: end))
        (self.isDescending, self.limit) = (isDescending, limit)
    }

    // MARK: Positions

    /// The position of an event of a row with an ID of version 7, at the time of the ID.
    package static func position(_ kind: Kind, of id: UUID) -> UUID {
        let (high, low) = id.halves
        return UUID(high: high & ~0xF000 | UInt64(kind.number & 15) << 12, low: low)
    }

    /// The position of an event of a row at another time than the one of its ID.
    package static func position(_ kind: Kind, at time: Date, _ bits: UInt64) -> UUID {
        let microseconds = UInt64((time.timeIntervalSince1970 * 1_000_000).rounded())
        return UUID(high: (microseconds / 1000) << 16 | UInt64(kind.number & 15) << 12 | microseconds % 1000, low: bits)
    }

    /// The time of an event.
    package static func time(of position: UUID) -> Date {
        Date(timeIntervalSince1970: Double(position.halves.0 >> 16) / 1000)
    }

    private static func first(at time: Date) -> UUID {
        UUID(high: UInt64((max(0, time.timeIntervalSince1970) * 1000).rounded()) << 16, low: 0)
    }

    // MARK: Statements

    /// Selects the events of a kind, one per row, at the time of the row's ID.
    /// - Parameters:
    ///   - id: the column of the ID.
    ///   - source: the rows, as the rest of a `SELECT` after its columns: `FROM … WHERE …`.
    package func select(_ kind: Kind, id: SQL, source: SQL) -> SQL {
        let position: SQL = "overlay(\(part: id)::text PLACING \(kind.digit) FROM 15 FOR 1)::uuid"
        return """
            SELECT \(part: position) AS position, \(kind.name) AS kind, \(part: id)::text AS subject \(part: source)
                AND \(part: id) >= \(Self.first(at: Self.time(of: lower))) AND \(part: id) < \(Self.first(at: Self.time(of: upper) + 0.001))
                AND \(part: position) > \(lower) AND \(part: position) < \(upper)
            ORDER BY \(part: id) \(part: direction) LIMIT \(limit)
            """
    }

    /// Selects the events of a kind, one per row, at a time of the row.
    /// - Parameters:
    ///   - time: the column of the time.
    ///   - bits: the last 64 bits of the position, as an expression for 16 hexadecimal digits.
    ///   - subject: the subject of the event, as an expression for a text.
    package func select(_ kind: Kind, at time: SQL, bits: SQL, subject: SQL, source: SQL) -> SQL {
        let position: SQL = """
            (lpad(to_hex(floor(extract(epoch FROM \(part: time)) * 1000)::bigint), 12, '0') || \(kind.digit)
                || lpad(to_hex(extract(microseconds FROM \(part: time))::bigint % 1000), 3, '0') || \(part: bits))::uuid
            """
        return """
            SELECT \(part: position) AS position, \(kind.name) AS kind, \(part: subject) AS subject \(part: source)
                AND \(part: time) >= \(Self.time(of: lower)) AND \(part: time) < \(Self.time(of: upper) + 0.001)
                AND \(part: position) > \(lower) AND \(part: position) < \(upper)
            ORDER BY \(part: time) \(part: direction), position \(part: direction) LIMIT \(limit)
            """
    }

    /// Merges the selected events of several kinds.
    package func merge(_ selections: [SQL]) -> SQL {
        let all = selections.dropFirst().reduce("(\(part: selections[0]))" as SQL) { "\(part: $0) UNION ALL (\(part: $1))" }
        return "SELECT position, kind, subject FROM (\(part: all)) AS event ORDER BY position \(part: direction) LIMIT \(limit)"
    }

    private var direction: SQL { isDescending ? "DESC" : "ASC" }
}
