import Access
import Encoding
import Foundation
import Testing

@Suite("ID")
struct IDTests {
    @Test("an ID is parsed from its own text")
    func roundTrip() throws {
        for _ in 0..<100 {
            let id = ID<Tenant>(at: Date())
            #expect(ID<Tenant>(id.description) == id)
            #expect(id.description.hasPrefix("tenant_"))
            #expect(id.description.utf8.count == 7 + 26)
        }
    }

    @Test("IDs sort by their time, as text and in the database")
    func order() {
        let times = [0, 1, 1_000, 1_763_700_000].map { Date(timeIntervalSince1970: $0) }
        let texts = times.map { ID<Tenant>(at: $0).description }
        #expect(texts == texts.sorted())
    }

    @Test("an ID is a UUID of version 7, with the time in its first 48 bits")
    func version() {
        let id = ID<Tenant>(at: Date(timeIntervalSince1970: 1_763_700_000.5))
        let text = id.uuid.uuidString
        #expect(Array(text)[14] == "7")
        #expect("89AB".contains(Array(text)[19]))
        #expect(UInt64(text.replacing("-", with: "").prefix(12), radix: 16) == 1_763_700_000_500)
    }

    @Test(
        "only the canonical spelling is accepted",
        arguments: [
            "", "tenant_", "tenant_01jd8x3v6qf9wr2m5tzk7h4c0", "tenant_01jd8x3v6qf9wr2m5tzk7h4c0nn", "user_01jd8x3v6qf9wr2m5tzk7h4c0n",
            "tenant_01JD8X3V6QF9WR2M5TZK7H4C0N", "tenant_81jd8x3v6qf9wr2m5tzk7h4c0n", "tenant_01jd8x3v6qf9wr2m5tzk7h4c0l",
            "tenant_01jd8x3v6qf9wr2m5tzk7h4c0\u{301}", "tenant\u{600}_01jd8x3v6qf9wr2m5tzk7h4c0n",
            "tenant_\u{301}01jd8x3v6qf9wr2m5tzk7h4c0n",
            "tenant\u{200D}01jd8x3v6qf9wr2m5tzk7h4", "tenant_01jd8x3v6qf9wr2m5tzk7h4c\u{600}", "tenant-01jd8x3v6qf9wr2m5tzk7h4c0n",
            "_01jd8x3v6qf9wr2m5tzk7h4c0n", "enant_01jd8x3v6qf9wr2m5tzk7h4c0nn",
        ])
    func refused(_ text: String) {
        #expect(ID<Tenant>(text) == nil)
    }

    @Test("a member of an object has the ID's own text")
    func member() throws {
        struct Reply: JSONWritable {
            let id: ID<Tenant>
            let other: ID<Tenant>?

            func write(to json: inout JSONText) {
                json.object { json in
                    json.member("id", id)
                    json.member("other", other)
                }
            }
        }
        let id = ID<Tenant>(at: Date())
        let (one, two) = (try JSONWriter.encode(Reply(id: id, other: nil)), try JSONWriter.encode(Reply(id: id, other: id)))
        #expect(String(decoding: one, as: UTF8.self) == "{\"id\":\"\(id)\"}")
        #expect(String(decoding: two, as: UTF8.self) == "{\"id\":\"\(id)\",\"other\":\"\(id)\"}")
    }

    @Test("the extreme values of a UUID are parsed from their text")
    func extremes() {
        for text in ["00000000-0000-0000-0000-000000000000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"] {
            let id = ID<Tenant>(UUID(uuidString: text)!)
            #expect(ID<Tenant>(id.description)?.uuid.uuidString == text)
        }
    }
}
