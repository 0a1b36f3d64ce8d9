import Foundation

/// A folder that is removed with its value.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "postgres-tests-\(UUID())").path(percentEncoded: false)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func write(_ file: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path + "/" + file))
    }

    func remove(_ file: String) throws {
        try FileManager.default.removeItem(atPath: path + "/" + file)
    }
}
