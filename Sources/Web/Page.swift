import Encoding
package import Foundation

/// The requested part of a list.
///
/// Lists are ordered by ID, newest first, and IDs grow with time. New elements come before the first page and move nothing.
package struct PageRequest: Sendable {
    package enum Position: Sendable {
        case start, after(UUID), before(UUID)
    }

    package let limit: Int
    package let position: Position

    package init(limit: Int, position: Position) {
        (self.limit, self.position) = (limit, position)
    }

    /// For SQL: `WHERE id < upper AND id > lower ORDER BY … LIMIT fetched`. The statement fetches one row more than requested, to find
    /// out whether there are more.
    ///
    /// ```sql
    /// SELECT … WHERE tenant_id = \(tenant) AND id < \(page.upper) AND id > \(page.lower)
    /// ORDER BY CASE WHEN \(page.isBackward) THEN id END ASC, id DESC LIMIT \(page.fetched)
    /// ```
    package var upper: UUID { if case .after(let id) = position { id } else { Self.last } }
    package var lower: UUID { if case .before(let id) = position { id } else { Self.first } }
    package var isBackward: Bool { if case .before = position { true } else { false } }
    package var fetched: Int { limit + 1 }

    // None of our IDs has either value.
    private static let first = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    private static let last = UUID(uuid: (255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255))

    /// Opaque to callers. It authorizes nothing.
    static func cursor(_ id: UUID) -> String {
        withUnsafeBytes(of: id.uuid) { Array($0).base64URL }
    }

    static func id(fromCursor text: String) -> UUID? {
        // Unlike `[UInt8](base64URL:)`, this accepts every text in the format of the specification, also with unused bits that are not 0.
        guard text.wholeASCIIMatch(of: /[A-Za-z0-9_-]{22}/) != nil else { return nil }
        let base64 = text.replacing("-", with: "+").replacing("_", with: "/") + "=="
        guard let data = Data(base64Encoded: base64), data.count == 16 else { return nil }
        return data.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}

/// One page of a list, as in the response.
package struct Page<Element: Encodable>: Encodable {
    private let data: [Element]
    private let before, after: String?

    /// - Parameters:
    ///   - rows: The result of the statement in its order, with up to `fetched` elements.
    ///   - id: The ID that orders the elements.
    package init<Row>(_ rows: [Row], of request: PageRequest, id: (Row) -> UUID, _ element: (Row) throws -> Element) rethrows {
        let hasMore = rows.count > request.limit
        var rows = Array(rows.prefix(request.limit))
        if request.isBackward { rows.reverse() }
        // The list has more elements on the cursor's side: at least the element that the cursor named, unless it was
        // deleted.
        let (hasNewer, hasOlder) =
            switch request.position {
            case .start: (false, hasMore)
            case .after: (true, hasMore)
            case .before: (hasMore, true)
            }
        before = hasNewer ? rows.first.map { PageRequest.cursor(id($0)) } : nil
        after = hasOlder ? rows.last.map { PageRequest.cursor(id($0)) } : nil
        data = try rows.map(element)
    }

    private enum Key: String, CodingKey {
        case object, data, list_metadata, before, after
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode("list", forKey: .object)
        try container.encode(data, forKey: .data)
        var metadata = container.nestedContainer(keyedBy: Key.self, forKey: .list_metadata)
        try metadata.encode(before, forKey: .before)
        try metadata.encode(after, forKey: .after)
    }
}
