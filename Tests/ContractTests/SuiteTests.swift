import Foundation
import Testing

/// A reader finds the tests of an action by its name: those of `rotateSigningKeys` are in `RotateSigningKeysTests.swift`.
@Suite("Suites")
struct SuiteTests {
    /// Actions without a suite of their own name. The list may only shrink.
    private static let withoutSuite: Set<String> = []

    @Test("every action of the spec has a suite with its name, except for the listed ones")
    func actions() throws {
        let folder = URL(filePath: #filePath).appending(path: "../..").standardizedFileURL
        let files = Set(try FileManager.default.subpathsOfDirectory(atPath: folder.path).map { $0.split(separator: "/").last! })
        let missing = try Specification().operations.map { $0.id.prefix(1).uppercased() + $0.id.dropFirst() }
            .filter { !files.contains("\($0)Tests.swift") }
        #expect(Set(missing).subtracting(Self.withoutSuite).sorted() == [], "These actions have no suite of their name.")
        #expect(Self.withoutSuite.subtracting(missing).sorted() == [], "These actions have a suite. Remove them from the list.")
    }
}
