import Testing

@testable import Web

@Suite("Edge")
struct EdgeTests {
    @Test("only a valid traceparent is logged")
    func traceParent() {
        let valid = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        #expect(Edge.isTraceParent(valid))
        for other in ["", "ada@example.com", String(repeating: "x", count: 55), valid.uppercased(), valid + "0", String(valid.dropLast())] {
            #expect(!Edge.isTraceParent(other))
        }
        let bytes = Array(valid.utf8)
        for position in bytes.indices {
            for byte in "-/:`gG\u{7F}".utf8 where byte != bytes[position] {
                var changed = bytes
                changed[position] = byte
                #expect(!Edge.isTraceParent(String(decoding: changed, as: UTF8.self)), "position \(position)")
            }
        }
    }
}
