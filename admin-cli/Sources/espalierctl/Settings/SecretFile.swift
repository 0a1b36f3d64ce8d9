import Foundation

/// Secrets in files: read by name or from the standard input, and written for nobody else to read.
enum SecretFile {
    /// More than any key or secret has.
    private static let limit = 64 * 1024

    /// - Parameters:
    ///   - name: the file, or `-` for the standard input.
    ///   - kind: what it is, as in "The API key file … can't be read."
    /// - Throws: ``Failure``, which never repeats what was read.
    static func read(_ name: String, of kind: String) throws(Failure) -> String {
        let data: Data
        do {
            let handle = name == "-" ? FileHandle.standardInput : try FileHandle(forReadingFrom: URL(filePath: expanded(name)))
            data = try handle.read(upToCount: limit + 1) ?? Data()
        } catch {
            throw Failure(
                status: .usage, detail: "The \(kind) \(name) can't be read.",
                nextStep: "Check that it exists and that you may read it.")
        }
        guard data.count <= limit, let text = String(data: data, encoding: .utf8)
        else {
            throw Failure(
                status: .usage, detail: "The \(kind) \(name) is no text of a reasonable size.", nextStep: "Check that it is the right file."
            )
        }
        return text
    }

    /// Removes a file that ``create(_:)`` made.
    static func remove(_ name: String) {
        unlink(expanded(name))
    }

    /// `~/key.p8` is in the home folder. A shell does this for words of its own, but not for an answer to a prompt, and not behind a `=`.
    static func expanded(_ name: String) -> String {
        guard name == "~" || name.hasPrefix("~/"), let home = ProcessInfo.processInfo.environment["HOME"], !home.isEmpty else {
            return name
        }
        return home + name.dropFirst()
    }

    /// Makes a file that is new and only the caller's, so that there is a place for a secret before there is a secret.
    /// - Throws: ``Failure``, also when there is such a file already: it might hold another secret.
    static func create(_ name: String) throws(Failure) {
        let descriptor = open(expanded(name), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw Failure(
                status: .usage,
                detail: errno == EEXIST ? "\(name) already exists." : "\(name) can't be written: \(String(cString: strerror(errno))).",
                nextStep: "Name a file that does not exist, in a folder you may write to.")
        }
        close(descriptor)
    }

    /// Refuses a name that ``create(_:)`` refuses, and leaves no file.
    static func refuse(_ name: String) throws(Failure) {
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
                status: .failure, detail: "The secret can't be written to \(name), and it can't be shown a second time.",
                nextStep: "Make room for it, then roll the secret to get another.")
        }
    }
}
