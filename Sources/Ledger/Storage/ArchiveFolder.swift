import Foundation

/// The folder of archived months: `usage_event_2025_01.csv.gz` and its manifest. One process at a time writes to it.
final class ArchiveFolder {
    let url: URL
    private let lock: Int32

    /// Locks the folder until this value is released. The kernel unlocks it when the process ends for any reason.
    ///
    /// - Throws: `ArchiveUsage.Refusal`
    init(_ path: String) throws(ArchiveUsage.Refusal) {
        url = URL(filePath: path, directoryHint: .isDirectory)
        lock = open(path + "/.usage_archive.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw .folder(path) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            throw .inUse
        }
    }

    deinit {
        flock(lock, LOCK_UN)
        close(lock)
    }

    static func stem(_ month: Month) -> String {
        "usage_event_" + month.description.replacing("-", with: "_")
    }

    func file(_ month: Month) -> URL { url.appending(path: Self.stem(month) + ".csv.gz") }
    func manifest(_ month: Month) -> URL { url.appending(path: Self.stem(month) + ".manifest.json") }

    /// The path of an incomplete file. An abandoned one is overwritten.
    func partial(_ file: URL) -> URL { file.appendingPathExtension("partial") }

    /// Writes the rows compressed to the partial file, several rows at a time, and syncs it to the disk.
    func write(_ rows: some AsyncSequence<[UInt8], any Error>, for file: URL) async throws {
        let handle = try create(partial(file))
        defer { try? handle.close() }
        let gzip = Gzip()
        for try await piece in rows { try handle.write(contentsOf: Data(gzip.compress(piece))) }
        try handle.write(contentsOf: Data(gzip.compress([], isLast: true)))
        try handle.synchronize()
    }

    func write(_ data: Data, for file: URL) throws {
        let handle = try create(partial(file))
        defer { try? handle.close() }
        try handle.write(contentsOf: data)
        try handle.synchronize()
    }

    private func create(_ file: URL) throws -> FileHandle {
        let path = file.path(percentEncoded: false)
        guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
        else { throw ArchiveUsage.Refusal.folder(path) }
        return try FileHandle(forWritingTo: file)
    }

    /// Renames the partial file to its final name, and syncs the folder to the disk.
    func finish(_ file: URL) throws(ArchiveUsage.Refusal) {
        let (from, to) = (partial(file).path(percentEncoded: false), file.path(percentEncoded: false))
        guard rename(from, to) == 0 else { throw .folder(to) }
        let folder = open(url.path(percentEncoded: false), O_RDONLY | O_CLOEXEC)
        defer { close(folder) }
        guard folder >= 0, fsync(folder) == 0 else { throw .folder(to) }
    }
}

/// The manifest of an archived month's file.
struct ArchiveManifest: Codable {
    var object = "usage_archive"
    let month: Month
    let file: String
    var columns = ArchiveContent.columns
    let rows: Int
    let sha256: String
    let tenants: [ArchiveContent.OfTenant]

    init(_ content: ArchiveContent, of month: Month) {
        (self.month, rows, sha256, tenants) = (month, content.rows, content.sha256, content.tenants)
        file = ArchiveFolder.stem(month) + ".csv.gz"
    }

    var json: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            return try encoder.encode(self) + Data("\n".utf8)
        }
    }
}
