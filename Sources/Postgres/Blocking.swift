import Foundation
import Synchronization

/// Threads for calls that block: host look-up and libpq's cancel requests.
///
/// They are neither threads of Swift's executor nor of Dispatch, which shares its limit of threads with Swift's executor. So blocked calls
/// stop no task. Their number is limited, and further calls wait. A thread ends when no call is left.
final class Blocking: Sendable {
    private static let all = Mutex<[[String]: Blocking]>([:])

    /// The threads for look-ups of a host name. A look-up has no time limit. So a name without a name server can occupy its threads, but not
    /// those of another name.
    static func lookUps(of host: String) -> Blocking { threads("postgres-dns", for: host) }

    /// The threads for cancel requests to a server. A request has no time limit, so a frozen server can occupy its threads, but not those of
    /// another server.
    static func cancellations(at server: ServerAddress) -> Blocking {
        // Without the address, because a name may have ever new ones.
        threads("postgres-cancel", for: "\(server)")
    }

    private static func threads(_ name: String, for server: String) -> Blocking {
        all.withLock { all in
            if let threads = all[[name, server]] { return threads }
            let threads = Blocking(name: name, threads: 4)
            all[[name, server]] = threads
            return threads
        }
    }

    private struct State {
        var calls: [@Sendable () -> Void] = []
        var threads = 0
    }

    private let name: String
    private let limit: Int
    private let state = Mutex(State())

    init(name: String, threads: Int) {
        (self.name, limit) = (name, threads)
    }

    /// The number of threads, and of calls that wait for one.
    var load: (threads: Int, waiting: Int) { state.withLock { ($0.threads, $0.calls.count) } }

    func run<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            let needsThread = state.withLock { state in
                state.calls.append { continuation.resume(returning: work()) }
                guard state.threads < limit else { return false }
                state.threads += 1
                return true
            }
            guard needsThread else { return }
            Thread {
                // On Linux, only the thread itself can set the name that the system shows.
                Thread.current.name = self.name
                self.runCalls()
            }.start()
        }
    }

    private func runCalls() {
        while let call = next() { call() }
    }

    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard !state.calls.isEmpty else {
                state.threads -= 1
                return nil
            }
            return state.calls.removeFirst()
        }
    }
}
