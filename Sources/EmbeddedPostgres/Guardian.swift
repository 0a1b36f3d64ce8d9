import Foundation
import Subprocess
import Synchronization

/// A small shell that is the server's parent. It outlives this process just long enough to stop the server.
///
/// Its standard input is a pipe from this process. When the pipe ends, it stops the server. Either this process closes
/// the pipe, or the kernel does so after a `kill -9`. The shell has its own session. So Ctrl-C in the terminal reaches
/// neither of them before this process has stopped them in order.
final class Guardian: Sendable {
    /// How PostgreSQL is stopped.
    enum Signal: String {
        /// Ends the sessions and writes everything to disk.
        case fast = "INT"
        /// Ends at once, as in a crash. For data that is no longer needed.
        case immediate = "QUIT"
    }

    private static let script = """
        signal=$1 log=$2 trash=$3; shift 3
        cd /
        exec 3<&0 </dev/null
        "$@" >"$log" 2>&1 3<&- &
        server=$!
        # The mark distinguishes a server that died from a server whose owner ended.
        mark=$(mktemp)
        ( read -r _ <&3; rm -f "$mark"; kill -"$signal" "$server" ) >/dev/null 2>&1 &
        watcher=$!
        exec 3<&-
        wait "$server"
        if [ -e "$mark" ]; then
            kill "$watcher"
            rm -f "$mark"
        elif [ -n "$trash" ]; then
            printf '%s\\n' "$trash" | while IFS= read -r path; do rm -rf "$path"; done
        fi
        """

    private let stopping: AsyncStream<Never>.Continuation
    private let process: Task<Void, any Error>
    private let isOver = Atomic(false)

    /// Starts the server.
    /// - Parameters:
    /// - command: The server and its arguments.
    /// - trash: Folders to remove after it has stopped.
    init(of command: [String], log: String, signal: Signal, trash: [String]) {
        let (stop, stopping) = AsyncStream.makeStream(of: Never.self)
        self.stopping = stopping
        var options = PlatformOptions()
        options.createSession = true
        let arguments = ["-c", Self.script, "guardian", signal.rawValue, log, trash.joined(separator: "\n")] + command
        // A detached task, because the guardian lives as long as its pipe.
        process = Task { [options] in
            _ = try await Subprocess.run(
                .name("sh"), arguments: Arguments(arguments), platformOptions: options,
                input: .inputWriter, output: .sequence, error: .discarded
            ) { guardian in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        for await _ in stop {}
                        try await guardian.standardInputWriter.finish()
                    }
                    // The guardian prints nothing. Its output ends when it does.
                    for try await _ in guardian.standardOutput {}
                    group.cancelAll()
                    try await group.waitForAll()
                }
            }
        }
        Task { [weak self, process] in
            _ = await process.result
            self?.isOver.store(true, ordering: .releasing)
        }
    }

    /// Whether the server has ended, on its own or because it was stopped.
    var hasEnded: Bool { isOver.load(ordering: .acquiring) }

    /// Returns when the server has ended.
    func ended() async throws { try await process.value }

    /// Stops the server, and returns when it has ended.
    func stop() async throws {
        stopping.finish()
        try await process.value
    }

    deinit {
        stopping.finish()
    }
}
