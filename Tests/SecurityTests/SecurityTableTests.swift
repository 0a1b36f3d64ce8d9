import Foundation
import Testing

/// `docs/security-tests.md` names the tests of each threat, and `SECURITY.md` the tests of each promise.
@Suite("Table of attacks")
struct SecurityTableTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardizedFileURL

    /// Returns `CodeInjectionTests.replay` for every test function, by its suite.
    private static func tests(in folder: String) throws -> Set<String> {
        let folder = root.appending(path: folder)
        var found: Set<String> = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where path.hasSuffix("Tests.swift") {
            let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            let suite = String(path.split(separator: "/").last!.dropLast(".swift".count))
            for match in text.matches(of: /@Test\((?:.|\n)*?\n    func ([a-zA-Z0-9_]+)\(/) { found.insert("\(suite).\(match.1)") }
        }
        return found
    }

    private static func named(in page: String = "docs/security-tests.md") throws -> Set<String> {
        let text = try String(contentsOf: root.appending(path: page), encoding: .utf8)
        return Set(text.matches(of: /`([A-Za-z0-9]+Tests\.[a-zA-Z0-9_]+)`/).map { String($0.1) })
    }

    @Test("every test in the table exists")
    func exist() throws {
        let (named, tests) = (try Self.named(), try Self.tests(in: "Tests"))
        #expect(named.count > 40)
        #expect(named.subtracting(tests).sorted() == [])
    }

    @Test("every test of a promise exists")
    func promises() throws {
        let (named, tests) = (try Self.named(in: "SECURITY.md"), try Self.tests(in: "Tests"))
        #expect(named.count > 20)
        #expect(named.subtracting(tests).sorted() == [])
    }

    @Test("every attack of this target is in the table")
    func complete() throws {
        let own = try Self.tests(in: "Tests/SecurityTests").filter { !$0.hasPrefix("SecurityTableTests.") }
        #expect(own.count > 40)
        #expect(own.subtracting(try Self.named()).sorted() == [])
    }
}
