import Foundation
import Subprocess
import Synchronization

/// A small shell that is the server's parent and outlives this process just long enough to stop it.
///
/// Its standard input is a pipe from us. When the pipe ends, because we close it or because the kernel does after a
/// `kill -9`, it stops the server. It has a session of its own, so that Ctrl-C in our terminal reaches neither of them
/// before we have stopped in order.
final class Guardian: Sendable {
    /// How PostgreSQL is asked to stop.
    enum Signal: String {
        /// Ends sessions, writes everything to disk.
        case fast = "INT"
        /// Just ends, as a crash would: for data that nobody wants.
        case immediate = "QUIT"
    }

    private static let script = """
        signal=$1 log=$2 trash=$3; shift 3
        cd /
        exec 3<&0 </dev/null
        "$@" >"$log" 2>&1 3<&- &
        server=$!
        # The mark tells a server that died by itself from one whose owner is gone.
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
    ///   - command: the server and its arguments.
    ///   - trash: folders to remove once it has stopped.
    init(of command: [String], log: String, signal: Signal, trash: [String]) {
        let (stop, stopping) = AsyncStream.makeStream(of: Never.self)
        self.stopping = stopping
        var options = PlatformOptions()
        options.createSession = true
        let arguments = ["-c", Self.script, "guardian", signal.rawValue, log, trash.joined(separator: "\n")] + command
        // A task of nobody's: the guardian's life is that of its pipe.
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
                    // It prints nothing; its output ends when it does.
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

    /// Whether the server has ended, by itself or because it was stopped.
    var hasEnded: Bool { isOver.load(ordering: .acquiring) }

    /// Returns when it has.
    func ended() async throws { try await process.value }

    /// Has the server stopped, and returns when it has.
    func stop() async throws {
        stopping.finish()
        try await process.value
    }

    deinit {
        stopping.finish()
    }
}
