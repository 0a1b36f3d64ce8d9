import Foundation
import Subprocess

/// A child process, which ends at the latest when this process ends.
///
/// A small shell is its parent. The shell's standard input is a pipe from this process. When the pipe ends, the shell ends the
/// program. Either this process closes the pipe, or the kernel does so after a `kill -9`. The shell has its own session, so
/// Ctrl-C in the terminal reaches it only through this process.
final class ChildProcess: Sendable {
    let id: ProcessID
    private let stopping: AsyncStream<Never>.Continuation
    private let shell: Task<Void, any Error>

    private static let script = """
        log=$1; shift
        exec 3<&0 </dev/null
        "$@" >"$log" 2>&1 3<&- &
        program=$!
        echo "$program"
        exec >&-
        ( read -r _ <&3; kill "$program" ) 2>/dev/null &
        watcher=$!
        exec 3<&-
        wait "$program"
        kill "$watcher" 2>/dev/null
        """

    /// - Parameters:
    /// - environment: Variables in addition to our own.
    /// - log: A file for its output.
    init(_ command: [String], environment: [String: String], log: String) async throws {
        let (stop, stopping) = AsyncStream.makeStream(of: Never.self)
        let (ids, found) = AsyncStream.makeStream(of: Int32.self)
        var options = PlatformOptions()
        options.createSession = true
        let arguments = ["-c", Self.script, "child", log] + command
        let variables = Dictionary(uniqueKeysWithValues: environment.map { (Environment.Key(stringLiteral: $0), Optional($1)) })
        // A detached task, because the shell lives as long as the pipe.
        let shell = Task { [options] in
            defer { found.finish() }
            _ = try await Subprocess.run(
                .name("sh"), arguments: Arguments(arguments), environment: .inherit.updating(variables), platformOptions: options,
                input: .inputWriter, output: .sequence, error: .discarded
            ) { shell in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        for await _ in stop {}
                        try await shell.standardInputWriter.finish()
                    }
                    // The shell prints one line. Then only its end follows, which the program's log does not delay.
                    var line: [UInt8] = []
                    for try await piece in shell.standardOutput { piece.withUnsafeBytes { line += $0 } }
                    if let id = Int32(String(decoding: line, as: UTF8.self).trimmingCharacters(in: .newlines)) { found.yield(id) }
                    try await group.waitForAll()
                }
            }
        }
        guard let id = await ids.first(where: { _ in true }) else {
            try await shell.value
            throw Stage.Failure("\(command[0]) could not be started")
        }
        (self.id, self.stopping, self.shell) = (ProcessID(id), stopping, shell)
    }

    /// Ends it, and returns when it has ended.
    func stop() async throws {
        stopping.finish()
        try await shell.value
    }
}
