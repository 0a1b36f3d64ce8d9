import Crypto
import Foundation

/// Where an export goes: the standard output, or a file that has its name only when it is whole. Until then it is `NAME.part`, and
/// `NAME.part.json` says what it is a part of.
final class ExportFile {
    private struct Beginning: Codable, Equatable {
        var call: String
        /// Where the file ends, which has to stay the same.
        var to: String?
        /// The version of the file: with another one, the rest is that of another file.
        var entityTag: String?
    }

    private let name: String?
    private let handle: FileHandle
    private var beginning: Beginning
    private(set) var digest = SHA256()
    private(set) var bytes = 0
    /// Ends of lines, of a file that is not compressed.
    private(set) var lines = 0

    /// As the server said it when the file was begun; nil before.
    var to: String? { beginning.to }
    var entityTag: String? { beginning.entityTag }
    /// Whether it can be thrown away and begun anew.
    var isFile: Bool { name != nil }

    /// - Parameters:
    ///   - name: the file; nil is the standard output.
    ///   - call: what is asked for.
    ///   - goesOn: whether a part that is there is the beginning.
    init(_ name: String?, of call: Call, goesOn: Bool) throws(Failure) {
        self.name = name.map(SecretFile.expanded)
        beginning = Beginning(call: call.target, to: nil)
        guard let name = self.name else {
            handle = .standardOutput
            return
        }
        guard !FileManager.default.fileExists(atPath: name) else {
            throw Failure(status: .usage, detail: "\(name) already exists.", nextStep: "Name a file that does not exist.")
        }
        do {
            if goesOn, let data = FileManager.default.contents(atPath: "\(name).part.json") {
                let earlier = try JSONDecoder().decode(Beginning.self, from: data)
                guard earlier.call == beginning.call else {
                    throw Failure(
                        status: .usage, detail: "\(name).part is a part of another export.",
                        nextStep: "Repeat the command that it began with, or leave --resume out to begin anew.")
                }
                beginning = earlier
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

    /// Notes where the file is to end, and which version of it this is.
    func begin(to: String, entityTag: String?) throws(Failure) {
        (beginning.to, beginning.entityTag) = (to, entityTag)
        guard let name else { return }
        do { try JSONEncoder().encode(beginning).write(to: URL(filePath: "\(name).part.json"), options: .atomic) } catch {
            throw Self.failure(error, name)
        }
    }

    /// Forgets what is there.
    func beginAnew() throws(Failure) {
        do {
            try handle.truncate(atOffset: 0)
            try handle.seek(toOffset: 0)
            if let name { try? FileManager.default.removeItem(atPath: "\(name).part.json") }
        } catch {
            throw Self.failure(error, name)
        }
        (beginning.to, beginning.entityTag) = (nil, nil)
        (digest, bytes, lines) = (SHA256(), 0, 0)
    }

    func write(_ data: Data) throws(Failure) {
        do { try handle.write(contentsOf: data) } catch { throw Self.failure(error, name) }
        count(data)
    }

    /// Removes a part that has nothing to continue.
    func removeIfEmpty() {
        guard let name, bytes == 0 else { return }
        for part in ["\(name).part", "\(name).part.json"] { try? FileManager.default.removeItem(atPath: part) }
    }

    /// It is whole: gives it its name.
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
            status: .failure, detail: "\(name ?? "The standard output") can't be written: \(error.reason).",
            nextStep: name == nil
                ? "Check where the output goes." : "Name a file in a folder that exists and that you may write to.")
    }
}
