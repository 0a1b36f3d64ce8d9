import Foundation
import TestSupport
import Testing

/// The programs that tests run.
@Suite("Program")
struct ProgramTests {
    @Test("a program may end before it has read its input")
    func unreadInput() async throws {
        let exit = try await Program.run([], of: URL(filePath: "/bin/true"), input: String(repeating: "x", count: 1 << 20))
        #expect(exit.code == 0)
    }

    @Test("a program gets its input, which then ends")
    func input() async throws {
        let input = String(repeating: "Zeile\n", count: 1 << 16)
        let exit = try await Program.run([], of: URL(filePath: "/bin/cat"), input: input)
        #expect(exit.code == 0 && exit.output == input)
        #expect(try await Program.run([], of: URL(filePath: "/bin/cat")).output.isEmpty)
    }
}
