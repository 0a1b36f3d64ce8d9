package import Foundation

/// A folder that is removed with its value.
package final class TemporaryFolder: Sendable {
    package let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "espalier-test-\(UInt64.random(in: .min ... .max))")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    package var path: String { url.path(percentEncoded: false) }

    /// Writes a file, and returns its path.
    @discardableResult
    package func write(_ name: String, _ text: String) throws -> String {
        let file = url.appending(path: name)
        try text.write(to: file, atomically: true, encoding: .utf8)
        return file.path(percentEncoded: false)
    }

    package func read(_ name: String) throws -> Data {
        try Data(contentsOf: url.appending(path: name))
    }
}
