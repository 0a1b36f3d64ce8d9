import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// The file of logins, for a machine without a keyring: `credentials.json` next to the profiles. Only the owner may read it.
struct CredentialFile: Codable, Equatable {
    /// The tokens by the address of the server.
    var logins: [String: String] = [:]

    static func path(_ environment: [String: String]) -> String? {
        UserConfiguration.file(environment)?.deletingLastPathComponent().appending(path: "credentials.json").path(percentEncoded: false)
    }

    private init() {}

    /// Reads the text of the file.
    /// - Throws: ``Failure``, which never contains the text.
    init(_ data: Data, _ path: String) throws(Failure) {
        guard let file = try? JSONDecoder().decode(CredentialFile.self, from: data) else {
            throw Failure(
                status: .usage, detail: "\(path) is not a file of espalierctl.", nextStep: "Remove the file, then log in: espalierctl login"
            )
        }
        self = file
    }

    /// Reads the file. A missing file means that there is no login.
    /// - Throws: ``Failure`` if it is a link, belongs to another user, or if other users can read it.
    static func load(_ environment: [String: String]) throws(Failure) -> CredentialFile {
        guard let path = path(environment) else { return CredentialFile() }
        // Opening a named pipe must not wait for a writer.
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        let code = errno
        guard descriptor >= 0 else {
            if code == ENOENT || code == ENOTDIR { return CredentialFile() }
            throw Failure(
                status: .usage,
                detail: code == ELOOP ? "\(path) is a link." : "\(path) cannot be read: \(String(cString: strerror(code))).",
                nextStep: "Remove it, then log in: espalierctl login")
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_uid == geteuid() else {
            throw Failure(
                status: .usage, detail: "\(path) is not a file of yours.", nextStep: "Remove it, then log in: espalierctl login")
        }
        guard facts.st_mode & 0o077 == 0 else {
            throw Failure(
                status: .usage, detail: "Other users can read \(path), which contains logins.",
                nextStep: "Remove it, then log in: espalierctl login. A login that others may have read ends on the page of your account.")
        }
        let data: Data
        do { data = try handle.read(upToCount: 1 << 20) ?? Data() } catch {
            throw Failure(
                status: .usage, detail: "\(path) cannot be read: \(error.localizedDescription.printable)",
                nextStep: "Check the disk, then repeat the command.")
        }
        return try CredentialFile(data, path)
    }

    /// Replaces the file atomically. Nobody else can read the new file at any time.
    func save(_ environment: [String: String]) throws(Failure) {
        guard let path = Self.path(environment) else {
            throw Failure(
                status: .usage, detail: "There is no folder for the login.", nextStep: "Set HOME or XDG_CONFIG_HOME to a folder.")
        }
        let new = "\(path).\(String(UInt64.random(in: 0...UInt64.max), radix: 16))"
        do {
            try FileManager.default.createDirectory(
                at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            try handle.write(contentsOf: encoder.encode(self))
            try handle.synchronize()
            try handle.close()
            guard rename(new, path) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        } catch {
            unlink(new)
            throw Failure(
                status: .failure, detail: "\(path) cannot be written: \(error.reason).",
                nextStep: "Check that the folder exists and that you may write to it.")
        }
    }
}
