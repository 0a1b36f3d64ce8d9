import Foundation
import TestSupport
import Testing

/// Foundation's `Process` sometimes ends its own process on Linux with signal 11 (Swift 6.3.1). `Process.run()` searches `/proc/self/fd` for
/// the highest open descriptor, and copies 256 bytes or more for each entry. The entries are shorter, so a copy can pass the end of the
/// memory. More open files make this likelier.
///
/// Use swift-subprocess, such as `Program` of the tests, or `posix_spawn`.
@Suite("Processes")
struct ProcessTests {
    /// A use of the type, but not the word in a text or comment.
    private static func uses(in text: String) -> Int {
        let code = text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }.joined(separator: "\n")
        return code.matches(of: /\bProcess(?:\.init|\.run)?\(|:\s*Process\s*=\s*\.init|Foundation\.Process\b/).count
    }

    @Test("no source starts a program with Foundation's Process", arguments: ["Sources", "Tests", "admin-cli/Sources", "admin-cli/Tests"])
    func sources(_ folder: String) throws {
        let root = Program.repository.appending(path: folder)
        let names = try FileManager.default.subpathsOfDirectory(atPath: root.path(percentEncoded: false))
            // Packages in these folders can have dependencies and files of a build.
            .filter { $0.hasSuffix(".swift") && !$0.split(separator: "/").contains(".build") && $0 != "ContractTests/ProcessTests.swift" }
        #expect(names.count > 30)
        let found = try names.filter { try Self.uses(in: String(contentsOf: root.appending(path: $0), encoding: .utf8)) > 0 }
        #expect(found.sorted() == [], "These files use Foundation's Process.")
    }

    @Test(
        "the search finds each form of a use",
        arguments: [
            "let shell = Process()", "private let process = Process.init()", "let shell: Process = .init()",
            "try Process.run(url, arguments: [])", "typealias Shell = Foundation.Process",
        ])
    func forms(_ text: String) {
        #expect(Self.uses(in: text) == 1)
    }

    @Test(
        "the search accepts the word in a text, in a comment and as a part of another name",
        arguments: ["\"Process \\(pid) holds a lock\"", "// Process() ends the tests.", "Subprocess.run(path)", "BackgroundProcess()"])
    func otherForms(_ text: String) {
        #expect(Self.uses(in: text) == 0)
    }
}
