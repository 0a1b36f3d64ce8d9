import Testing

@testable import Web

@Suite("Edge")
struct EdgeTests {
    @Test("only a valid traceparent is logged")
    func traceParent() {
        #expect(Edge.isTraceParent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"))
        for other in ["", "ada@example.com", String(repeating: "x", count: 55), "00-0AF7651916CD43DD8448EB211C80319C-B7AD6B7169203331-01"] {
            #expect(!Edge.isTraceParent(other))
        }
    }
}
