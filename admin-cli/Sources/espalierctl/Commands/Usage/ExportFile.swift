import Crypto
import Foundation

/// The output of an export: the standard output or a file.
///
/// An incomplete file is named `NAME.part`. `NAME.part.json` contains the call and the version of the file. The file gets its name when it
/// is complete.
final class ExportFile {
    private struct Start: Codable, Equatable {
        var call: String
        /// The end time of the file. It must not change between the parts.
        var to: String?
        /// The version of the file. Another version has other content.
        var entityTag: String?
    }

    private let name: String?
    private let handle: FileHandle
    private var start: Start
    private(set) var digest = SHA256()
    private(set) var bytes = 0
    /// The number of lines of an uncompressed file.
    private(set) var lines = 0

    /// The end time from the first response. Nil before the first response.
    var to: String? { start.to }
    var entityTag: String? { start.entityTag }
    /// Whether the output is a file, which can start again.
    var isFile: Bool { name != nil }

    /// Opens the output.
    /// - Parameters:
    ///   - name: the file. Nil is the standard output.
    ///   - call: the export call.
    ///   - resumes: whether an existing part is continued.
    init(_ name: String?, of call: Call, resumes: Bool) throws(Failure) {
        self.name = name.map(SecretFile.expanded)
        start = Start(call: call.target, to: nil)
        guard let name = self.name else {
            handle = .standardOutput
            return
        }
        guard !FileManager.default.fileExists(atPath: name) else {
            throw Failure(status: .usage, detail: "\(name) already exists.", nextStep: "Name a file that does not exist.")
        }
        do {
            if resumes, let data = FileManager.default.contents(atPath: "\(name).part.json") {
                let earlier = try JSONDecoder().decode(Start.self, from: data)
                guard earlier.call == start.call else {
                    throw Failure(
                        status: .usage, detail: "\(name).part belongs to another export.",
                        nextStep: "Repeat the command of that export, or leave --resume out to start again.")
                }
                start = earlier
            } else {
                let descriptor = open("\(name).part", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
                guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
                close(descriptor)
            }
            handle = try FileHandle(forUpdating: URL(filePath: "\(name).part"))
            while let data = try handle.read(upToCount: 1 << 20), !data.isEmpty { count(data) }
        } catch {
            throw error as? Failure ?? Self.failure(error, name)
        }
    }

    private func count(_ data: Data) {
        digest.update(data: data)
        bytes += data.count
        lines += data.count { $0 == UInt8(ascii: "\n") }
    }

    /// Records the end time and the version of the file.
    func record(to: String, entityTag: String?) throws(Failure) {
        (start.to, start.entityTag) = (to, entityTag)
        guard let name else { return }
        do { try JSONEncoder().encode(start).write(to: URL(filePath: "\(name).part.json"), options: .atomic) } catch {
            throw Self.failure(error, name)
        }
    }

    /// Removes the content, so that the export can start again.
    func restart() throws(Failure) {
        do {
            try handle.truncate(atOffset: 0)
            try handle.seek(toOffset: 0)
            if let name { try? FileManager.default.removeItem(atPath: "\(name).part.json") }
        } catch {
            throw Self.failure(error, name)
        }
        (start.to, start.entityTag) = (nil, nil)
        (digest, bytes, lines) = (SHA256(), 0, 0)
    }

    func write(_ data: Data) throws(Failure) {
        do { try handle.write(contentsOf: data) } catch { throw Self.failure(error, name) }
        count(data)
    }

    /// Removes an empty part, which no later run can continue.
    func removeIfEmpty() {
        guard let name, bytes == 0 else { return }
        for part in ["\(name).part", "\(name).part.json"] { try? FileManager.default.removeItem(atPath: part) }
    }

    /// Gives the complete file its name.
    func finish() throws(Failure) {
        guard let name else { return }
        do {
            try handle.synchronize()
            try handle.close()
            try FileManager.default.moveItem(atPath: "\(name).part", toPath: name)
            try? FileManager.default.removeItem(atPath: "\(name).part.json")
        } catch {
            throw Self.failure(error, name)
        }
    }

    private static func failure(_ error: any Error, _ name: String?) -> Failure {
        Failure(
            status: .failure, detail: "\(name ?? "The standard output") cannot be written: \(error.reason).",
            nextStep: name == nil
                ? "Check the destination of the output." : "Pass a file in a folder that exists and that you may write to.")
    }
}
