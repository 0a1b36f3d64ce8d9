import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// Runs another program of this machine.
///
/// It starts with `posix_spawn` and not with Foundation's `Process`, which sometimes ends this program on Linux with signal 11.
enum ExternalProgram {
    struct Ended {
        var status: Int32
        var output: String
    }

    /// The longest output that is read, in bytes.
    private static let limit = 64 * 1024

    /// The path of a program in the folders of `PATH`. Nil if there is none.
    static func find(_ name: String, _ environment: [String: String]) -> String? {
        (environment["PATH"] ?? "").parts(at: ":").filter { $0.utf8.first == UInt8(ascii: "/") }.map { "\($0)/\(name)" }
            .first { access($0, X_OK) == 0 }
    }

    /// Runs a program until its end. Its messages are discarded.
    /// - Parameters:
    ///   - input: its standard input. It must fit into a pipe (4 KiB).
    ///   - seconds: the program is killed after this time.
    /// - Returns: nil if the program cannot be started or ends by a signal.
    static func run(
        _ path: String, _ arguments: [String], input: String = "", seconds: Double, _ environment: [String: String]
    ) -> Ended? {
        guard let source = pipe(), let sink = pipe() else { return nil }
        defer { close(sink.reading) }
        let bytes = Array(input.utf8.prefix(4096))
        let isWritten = bytes.isEmpty || write(source.writing, bytes, bytes.count) == bytes.count
        close(source.writing)
        let id = isWritten ? spawn(path, arguments, (source.reading, sink.writing), environment) : nil
        close(source.reading)
        close(sink.writing)
        guard let id else { return nil }

        var (output, isKilled) = ([UInt8](), false)
        let end = ContinuousClock.now + .seconds(seconds)
        while output.count < limit {
            let rest = (end - .now) / .milliseconds(1)
            var place = pollfd(fd: sink.reading, events: Int16(POLLIN), revents: 0)
            guard rest > 0, poll(&place, 1, Int32(min(rest, 60_000)) + 1) >= 0 || errno == EINTR else {
                isKilled = true
                break
            }
            guard place.revents != 0 else { continue }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = read(sink.reading, &buffer, buffer.count)
            if count > 0 { output += buffer.prefix(count) } else { break }
        }
        // A program that writes more would wait for a reader.
        if isKilled || output.count >= limit { kill(id, SIGKILL) }
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        // The lowest 7 bits are the signal.
        guard status & 0x7F == 0 else { return nil }
        return Ended(status: (status >> 8) & 0xFF, output: String(decoding: output, as: UTF8.self))
    }

    /// Starts a program that may outlive this one. Ctrl-C does not end it.
    /// - Returns: whether it was started.
    static func start(_ path: String, _ arguments: [String], _ environment: [String: String]) -> Bool {
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        guard nothing >= 0 else { return false }
        defer { close(nothing) }
        return spawn(path, arguments, (nothing, nothing), environment, isDetached: true) != nil
    }

    private static func pipe() -> (reading: Int32, writing: Int32)? {
        var ends: [Int32] = [-1, -1]
        guard Foundation.pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private static func spawn(
        _ path: String, _ arguments: [String], _ streams: (input: Int32, output: Int32), _ environment: [String: String],
        isDetached: Bool = false
    ) -> pid_t? {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        #else
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        #endif
        guard posix_spawn_file_actions_init(&actions) == 0 else { return nil }
        defer { posix_spawn_file_actions_destroy(&actions) }
        guard posix_spawnattr_init(&attributes) == 0 else { return nil }
        defer { posix_spawnattr_destroy(&attributes) }
        // The terminal sends the signal of Ctrl-C to a group of processes.
        if isDetached { posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP)) }
        posix_spawn_file_actions_adddup2(&actions, streams.input, 0)
        posix_spawn_file_actions_adddup2(&actions, streams.output, 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        // The other program does not receive this program's API key.
        let variables = environment.filter { $0.key != "ESPALIER_API_KEY" }.map { "\($0.key)=\($0.value)" }
        var (words, values) = (([path] + arguments).map { strdup($0) } + [nil], variables.map { strdup($0) } + [nil])
        defer { for text in words + values { free(text) } }
        var id: pid_t = 0
        return posix_spawn(&id, path, &actions, &attributes, &words, &values) == 0 ? id : nil
    }
}
