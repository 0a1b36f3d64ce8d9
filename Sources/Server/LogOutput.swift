import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// The lines of logs on their way to a file.
///
/// A line can wait for at most 10 ms, so that a write has several lines. The write of a line costs as much as 5 % of a request. A crash
/// loses the waiting lines; a regular end of the program does not. A write has at most `PIPE_BUF` bytes unless one line is longer, so that
/// the lines of several processes do not mix in a pipe (pipe(7)).
package final class LogOutput: Sendable {
    /// The lines of this process. Its end writes the waiting ones.
    package static let standardError: LogOutput = {
        atexit { LogOutput.standardError.flush() }
        // On an event loop, this is that loop, so no other thread wakes up.
        return LogOutput(STDERR_FILENO) { write in MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: .milliseconds(10), write) }
    }()

    private struct Waiting {
        var lines: [UInt8] = []
        var isScheduled = false
    }

    private static let longestWrite = Int(PIPE_BUF)
    private let waiting = Mutex(Waiting())
    private let file: Int32
    private let later: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// - Parameter later: Runs the action after a moment.
    package init(_ file: Int32, later: @escaping @Sendable (_ action: @escaping @Sendable () -> Void) -> Void) {
        (self.file, self.later) = (file, later)
    }

    /// - Parameters:
    ///   - line: A line with its end.
    ///   - isUrgent: Whether it is written before this returns, after all waiting lines.
    package func append(_ line: [UInt8], isUrgent: Bool) {
        let needsSchedule = waiting.withLock { waiting in
            if waiting.lines.count + line.count > Self.longestWrite { writeAll(&waiting) }
            waiting.lines += line
            if isUrgent { writeAll(&waiting) }
            defer { if !waiting.lines.isEmpty { waiting.isScheduled = true } }
            return !waiting.lines.isEmpty && !waiting.isScheduled
        }
        if needsSchedule {
            later {
                self.waiting.withLock { $0.isScheduled = false }
                self.flush()
            }
        }
    }

    package func flush() {
        waiting.withLock { writeAll(&$0) }
    }

    private func writeAll(_ waiting: inout Waiting) {
        defer { waiting.lines.removeAll(keepingCapacity: true) }
        waiting.lines.withUnsafeBytes { lines in
            var rest = lines[...]
            while !rest.isEmpty {
                let count = write(file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                rest = rest.dropFirst(max(count, 0))
                if count > 0 || errno == EINTR { continue }
                // A parent process may have made the pipe non-blocking. This waits for room, as in every other pipe. There is no other place
                // to report that the log is not writable.
                var room = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
                guard errno == EAGAIN, poll(&room, 1, -1) > 0 || errno == EINTR else { return }
            }
        }
    }
}
