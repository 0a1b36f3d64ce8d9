import Dispatch

/// Threads for the blocking calls of libpq: host look-up, connecting, and cancel requests.
enum Blocking {
    private static let queue = DispatchQueue(label: "postgres.blocking", attributes: .concurrent)

    static func run<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work()) }
        }
    }
}
