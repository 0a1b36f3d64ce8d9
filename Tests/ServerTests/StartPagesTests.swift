import Testing

@testable import Server

@Suite("Pages of the start")
struct StartPagesTests {
    #if os(Linux)
    @Test("the code of the program is unmapped, and the program runs on")
    func release() {
        // More than a page of code.
        #expect(StartPages.release() > 4096)
        #expect(StartPages.release() > 4096)
    }
    #endif
}
