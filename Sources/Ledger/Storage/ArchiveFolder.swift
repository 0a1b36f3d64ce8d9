import Foundation

/// Where archived months are kept: `usage_event_2025_01.csv.gz` and its manifest. One process at a time writes there.
final class ArchiveFolder {
    let url: URL
    private let lock: Int32

    /// Locked until the value goes; the kernel unlocks it however the process ends.
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

    /// Where a file grows that is not whole yet. One that somebody left is written over.
    func partial(_ file: URL) -> URL { file.appendingPathExtension("partial") }

    /// Writes to the partial file what comes, several rows at a time, compressed, and has it on the disk.
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

    /// The partial file becomes the file, for good: the folder is on the disk, too.
    func finish(_ file: URL) throws(ArchiveUsage.Refusal) {
        let (from, to) = (partial(file).path(percentEncoded: false), file.path(percentEncoded: false))
        guard rename(from, to) == 0 else { throw .folder(to) }
        let folder = open(url.path(percentEncoded: false), O_RDONLY | O_CLOEXEC)
        defer { close(folder) }
        guard folder >= 0, fsync(folder) == 0 else { throw .folder(to) }
    }
}

/// What stands beside an archived month's file.
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
