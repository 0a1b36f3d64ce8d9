import Dispatch

/// Threads for the calls of libpq that block: looking up a host, connecting, asking a server to cancel.
enum Blocking {
    private static let queue = DispatchQueue(label: "postgres.blocking", attributes: .concurrent)

    static func run<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work()) }
        }
    }
}
