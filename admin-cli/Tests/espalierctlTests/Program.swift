import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#endif

/// A process of the built `espalierctl`.
///
/// It starts with `posix_spawn` and not with Foundation's `Process`, which sometimes ends the tests on Linux with signal 11. `Process.run()`
/// searches `/proc/self/fd` for the highest open descriptor, and copies 256 bytes or more for each entry. The entries are shorter, so a copy
/// can pass the end of the memory.
final class Program: Sendable {
    /// The program that was built with these tests.
    static let executable = Bundle.main.executableURL?.deletingLastPathComponent().appending(path: "espalierctl")

    private let id: pid_t
    /// After the process is reaped, its ID can belong to another process.
    private let isReaped = Mutex(false)
    private let ended: AsyncStream<Int32>

    /// Starts the program.
    /// - Parameters:
    ///   - folder: the working directory. By default, that of the tests.
    ///   - streams: the standard input, output and error. The program inherits no other descriptor.
    init(_ arguments: [String], environment: [String: String], folder: URL?, streams: [FileHandle]) throws {
        guard let path = Self.executable?.path(percentEncoded: false) else { throw POSIXError(.ENOENT) }
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        #else
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        #endif
        try Self.check(posix_spawn_file_actions_init(&actions))
        defer { posix_spawn_file_actions_destroy(&actions) }
        try Self.check(posix_spawnattr_init(&attributes))
        defer { posix_spawnattr_destroy(&attributes) }

        for (number, stream) in streams.enumerated() {
            try Self.check(posix_spawn_file_actions_adddup2(&actions, stream.fileDescriptor, Int32(number)))
        }
        // A thread of the tests can block or ignore signals, and the program would do the same.
        var signals = sigset_t()
        sigemptyset(&signals)
        try Self.check(posix_spawnattr_setsigmask(&attributes, &signals))
        sigfillset(&signals)
        try Self.check(posix_spawnattr_setsigdefault(&attributes, &signals))
        var flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        // An inherited connection of `StubServer` would stay open after the server closes it.
        #if canImport(Darwin)
        flags |= POSIX_SPAWN_CLOEXEC_DEFAULT
        if let folder { try Self.check(posix_spawn_file_actions_addchdir_np(&actions, folder.path(percentEncoded: false))) }
        #else
        // Swift's Glibc module lacks these two functions.
        typealias CloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
        typealias ChangeFolder = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, UnsafePointer<CChar>) -> Int32
        guard let closeFrom = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np"),
            let changeFolder = dlsym(nil, "posix_spawn_file_actions_addchdir_np")
        else { throw POSIXError(.ENOSYS) }
        try Self.check(unsafeBitCast(closeFrom, to: CloseFrom.self)(&actions, Int32(streams.count)))
        if let folder { try Self.check(unsafeBitCast(changeFolder, to: ChangeFolder.self)(&actions, folder.path(percentEncoded: false))) }
        #endif
        try Self.check(posix_spawnattr_setflags(&attributes, Int16(flags)))

        let words = ([path] + arguments).map { strdup($0) }
        let variables = environment.map { strdup("\($0)=\($1)") }
        defer { for text in words + variables { free(text) } }
        var id: pid_t = 0
        try withExtendedLifetime(streams) {
            try Self.check(posix_spawn(&id, path, &actions, &attributes, words + [nil], variables + [nil]))
        }
        self.id = id
        let (ended, end) = AsyncStream.makeStream(of: Int32.self)
        self.ended = ended
        Thread { [self] in end.yield(wait()) }.start()
    }

    /// Waits without the lock, and then reaps the ended process with the lock.
    private func wait() -> Int32 {
        var info = siginfo_t()
        while waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        var status: Int32 = -1
        isReaped.withLock {
            waitpid(id, &status, 0)
            $0 = true
        }
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : signal
    }

    private static func check(_ error: Int32) throws {
        guard error == 0 else { throw POSIXError(.init(rawValue: error) ?? .EIO) }
    }

    /// Sends a signal. An ended program receives none.
    func signal(_ signal: Int32) {
        isReaped.withLock { if !$0 { kill(id, signal) } }
    }

    /// Waits for the end of the program.
    /// - Returns: the exit status, or the signal that ended the program.
    /// - Throws: `CancellationError` if the test is canceled. Then the program is killed.
    func end() async throws -> Int32 {
        for await status in ended { return status }
        signal(SIGKILL)
        throw CancellationError()
    }
}

extension FileHandle {
    /// Creates a file without a name, for a standard stream of a program.
    ///
    /// A file has no other end that a parallel program can hold open, and it holds an output of any length.
    static func unnamed(_ content: String = "") throws -> FileHandle {
        let path = FileManager.default.temporaryDirectory.appending(path: "espalierctl-\(UUID().uuidString)").path(percentEncoded: false)
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        unlink(path)
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try file.write(contentsOf: Data(content.utf8))
        try file.seek(toOffset: 0)
        return file
    }

    /// The complete content of a file.
    func text() throws -> String {
        try seek(toOffset: 0)
        return String(decoding: try readToEnd() ?? Data(), as: UTF8.self)
    }
}
