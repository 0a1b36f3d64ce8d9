import Foundation

/// Reads secrets from files or the standard input, and writes them to files that only the owner can read.
enum SecretFile {
    /// The largest size, in bytes. Every key and secret is smaller.
    private static let limit = 64 * 1024

    /// Reads a secret.
    /// - Parameters:
    ///   - name: the file, or `-` for the standard input.
    ///   - kind: the name of this file in errors, as in "The API key file … cannot be read."
    /// - Throws: ``Failure``, which never contains the text that was read.
    static func read(_ name: String, of kind: String) throws(Failure) -> String {
        let data: Data
        do {
            let handle = name == "-" ? FileHandle.standardInput : try FileHandle(forReadingFrom: URL(filePath: expanded(name)))
            data = try handle.read(upToCount: limit + 1) ?? Data()
        } catch {
            throw Failure(
                status: .usage, detail: "The \(kind) \(name) cannot be read.",
                nextStep: "Check that the file exists and that you may read it.")
        }
        guard data.count <= limit, let text = String(data: data, encoding: .utf8)
        else {
            throw Failure(
                status: .usage, detail: "The \(kind) \(name) is not a UTF-8 text of at most 64 KiB.",
                nextStep: "Check that this is the right file.")
        }
        return text
    }

    /// Removes a file that ``create(_:)`` made.
    static func remove(_ name: String) {
        unlink(expanded(name))
    }

    /// Replaces a leading `~` with the home folder. A shell does not expand `~` in an answer to a prompt or after `=`.
    static func expanded(_ name: String) -> String {
        guard name == "~" || name.hasPrefix("~/"), let home = ProcessInfo.processInfo.environment["HOME"], !home.isEmpty else {
            return name
        }
        return home + name.dropFirst()
    }

    /// Creates a new file that only the caller can read. The file exists before the server issues the secret.
    /// - Throws: ``Failure``, even if the file already exists, because it might contain another secret.
    static func create(_ name: String) throws(Failure) {
        let descriptor = open(expanded(name), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw Failure(
                status: .usage,
                detail: errno == EEXIST ? "\(name) already exists." : "\(name) cannot be written: \(String(cString: strerror(errno))).",
                nextStep: "Name a file that does not exist, in a folder you may write to.")
        }
        close(descriptor)
    }

    /// Rejects a name that ``create(_:)`` rejects, and leaves no file.
    static func checkIsNew(_ name: String) throws(Failure) {
        try create(name)
        remove(name)
    }

    /// Writes into a file that ``create(_:)`` made.
    static func write(_ secret: String, to name: String) throws(Failure) {
        do {
            let handle = try FileHandle(forWritingTo: URL(filePath: expanded(name)))
            try handle.truncate(atOffset: 0)
            try handle.write(contentsOf: Data((secret + "\n").utf8))
            try handle.close()
        } catch {
            throw Failure(
                status: .failure, detail: "The secret cannot be written to \(name). It cannot be shown again.",
                nextStep: "Check the free space of the disk, then roll the secret to get a new one.")
        }
    }
}
