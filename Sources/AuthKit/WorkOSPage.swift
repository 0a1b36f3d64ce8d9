import Access
import Encoding
import Foundation
import Hummingbird
import Web

/// The requested part of a list in WorkOS's interface. A cursor is the ID of an element.
struct WorkOSPage: Sendable {
    private enum Order: String, CaseIterable {
        case asc, desc
        /// Newest first, with swapped cursors: `before` is the way to older elements, and `after` to newer ones.
        case normal
    }

    private enum Cursor {
        case start, after, before
    }

    /// For the statement, which orders elements from the newest to the oldest.
    let request: PageRequest
    private let cursor: Cursor
    private let areCursorsSwapped: Bool

    static let parameters = ["limit", "after", "before", "order"]

    /// - Parameter id: reads the ID of an element.
    init(_ query: Query, id: (String) -> UUID?) throws {
        let limit = try query.integer("limit", 1...100) ?? 10
        let order: Order = try query.choice("order") ?? .desc
        areCursorsSwapped = order == .normal
        func position(_ name: String) throws -> UUID? {
            guard let text = try query.text(name) else { return nil }
            guard let uuid = id(text) else { throw Problem.invalid(.init(name, "It must be the ID of an element of this list.")) }
            return uuid
        }
        var (after, before) = (try position("after"), try position("before"))
        if areCursorsSwapped { swap(&after, &before) }
        switch (after, before, order == .asc ? Order.asc : .desc) {
        case (nil, nil, .desc): (cursor, request) = (.start, PageRequest(limit: limit, position: .start))
        // The statement selects what is newer than a position, oldest first.
        case (nil, nil, .asc): (cursor, request) = (.start, PageRequest(limit: limit, position: .before(.platform)))
        case (let id?, nil, .desc): (cursor, request) = (.after, PageRequest(limit: limit, position: .after(id)))
        case (let id?, nil, .asc): (cursor, request) = (.after, PageRequest(limit: limit, position: .before(id)))
        case (nil, let id?, .desc): (cursor, request) = (.before, PageRequest(limit: limit, position: .before(id)))
        case (nil, let id?, .asc): (cursor, request) = (.before, PageRequest(limit: limit, position: .after(id)))
        default: throw Problem.invalid(.init("before", "Set `after` or `before`, not both."))
        }
    }

    /// The elements of the page in the requested order, and the cursors.
    /// - Parameters:
    ///   - rows: the result of the statement in its order, with up to `fetched` elements.
    ///   - id: the ID of an element.
    func list<Row, Element>(_ rows: [Row], id: (Row) -> String, _ element: (Row) throws -> Element) rethrows -> WorkOSList<Element> {
        let hasMore = rows.count > request.limit
        var rows = Array(rows.prefix(request.limit))
        // A page before a cursor is selected from the cursor backwards.
        if cursor == .before { rows.reverse() }
        let (hasEarlier, hasLater) =
            switch cursor {
            case .start: (false, hasMore)
            case .after: (true, hasMore)
            case .before: (hasMore, true)
            }
        let (first, last) = (hasEarlier ? rows.first.map(id) : nil, hasLater ? rows.last.map(id) : nil)
        return WorkOSList(data: try rows.map(element), list_metadata: .init(before: first, after: last, areSwapped: areCursorsSwapped))
    }
}

extension WorkOSPage {
    /// A page of elements that are in memory, newest first.
    static func list<Element: Encodable>(of all: inout [Element], _ query: Query, id: (Element) -> String) throws -> WorkOSList<Element> {
        let limit = try query.integer("limit", 1...100) ?? 10
        let order = try query.choice("order", Order.self)
        if order == .asc { all.reverse() }
        func position(_ name: String) throws -> Int? {
            guard let text = try query.text(name) else { return nil }
            guard let position = all.firstIndex(where: { id($0).isSame(as: text) })
            else { throw Problem.invalid(.init(name, "It must be the ID of an element of this list.")) }
            return position
        }
        var (after, before) = (try position("after"), try position("before"))
        if order == .normal { swap(&after, &before) }
        guard after == nil || before == nil else { throw Problem.invalid(.init("before", "Set `after` or `before`, not both.")) }
        let start = before.map { max(0, $0 - limit) } ?? after.map { $0 + 1 } ?? 0
        let end = before ?? min(all.count, start + limit)
        let page = Array(all[start..<max(start, end)])
        return WorkOSList(
            data: page,
            list_metadata: .init(
                before: start > 0 ? page.first.map(id) : nil, after: end < all.count ? page.last.map(id) : nil,
                areSwapped: order == .normal))
    }
}

/// A list in the response.
struct WorkOSList<Element: Encodable>: Encodable {
    struct Metadata: Encodable {
        @Nullable private(set) var before: String?
        @Nullable private(set) var after: String?

        init(before: String?, after: String?, areSwapped: Bool = false) {
            (_before, _after) = (Nullable(wrappedValue: areSwapped ? after : before), Nullable(wrappedValue: areSwapped ? before : after))
        }
    }

    let object = "list"
    let data: [Element]
    let list_metadata: Metadata
}
