import Encoding
import Foundation
import Testing

@testable import Web

@Suite("Page")
struct PageTests {
    private struct Listed: Decodable {
        struct Metadata: Decodable { let before, after: String? }
        let object: String
        let data: [Int]
        let list_metadata: Metadata
    }

    /// IDs that grow with their number.
    private static func id(_ number: Int) -> UUID {
        UUID(uuid: (UInt8(number), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
    }

    /// Returns the response of a database that contains 1 … count.
    private func page(_ count: Int, _ request: PageRequest) throws -> Listed {
        func value(_ id: UUID) -> String { id.uuidString }
        var rows = (1...count).filter { value(Self.id($0)) < value(request.upper) && value(Self.id($0)) > value(request.lower) }
        if !request.isBackward { rows.reverse() }
        let page = Page(Array(rows.prefix(request.fetched)), of: request, id: Self.id) { $0 }
        return try JSONDecoder().decode(Listed.self, from: Data(JSONWriter.encode(page)))
    }

    @Test("every element occurs once, forwards and backwards, newest first")
    func walk() throws {
        for (count, limit) in [(1, 1), (7, 3), (6, 3), (7, 100), (3, 3)] {
            var pages = [try page(count, PageRequest(limit: limit, position: .start))]
            #expect(pages[0].object == "list")
            #expect(pages[0].list_metadata.before == nil)
            while let cursor = pages.last?.list_metadata.after {
                pages.append(try page(count, PageRequest(limit: limit, position: .after(try #require(PageRequest.id(fromCursor: cursor))))))
            }
            #expect(pages.flatMap(\.data) == (1...count).reversed())
            var back = [try #require(pages.last)]
            while back.count < pages.count {
                let cursor = try #require(back.last?.list_metadata.before)
                let id = try #require(PageRequest.id(fromCursor: cursor))
                back.append(try page(count, PageRequest(limit: limit, position: .before(id))))
            }
            #expect(back.reversed().map(\.data) == pages.map(\.data))
            // Back at the start, nothing is newer.
            #expect(back.last?.list_metadata.before == nil)
        }
    }

    @Test("a missing neighbor is null, and not left out")
    func nulls() throws {
        let page = Page([1], of: PageRequest(limit: 2, position: .start), id: Self.id) { $0 }
        let json = String(decoding: try JSONWriter.encode(page), as: UTF8.self)
        #expect(json.contains(#""before":null"#) && json.contains(#""after":null"#))
    }

    @Test("any text in the format of a cursor is a cursor")
    func cursors() {
        for text in ["AAAAAAAAAAAAAAAAAAAAAA", "______________________", "----------------------", "zzzzzzzzzzzzzzzzzzzzzz"] {
            #expect(PageRequest.id(fromCursor: text) != nil)
        }
        let id = UUID()
        #expect(PageRequest.id(fromCursor: PageRequest.cursor(id)) == id)
    }
}
