import CLibPQ

/// Finds the sessions that hold a lock for which another session waits, over a connection of its own.
@EventLoop
final class LockObserver {
    private let session: DatabaseSession
    /// The server's process of the observed session.
    private let process: Int32
    /// The holders that were found last, in words.
    private(set) var holders: [String] = []
    private let onFound: @Sendable (_ holders: [String]) -> Void

    /// - Parameter onFound: Called when holders are found for the first time.
    init(
        _ parameters: ConnectionParameters, of observed: DatabaseSession, onFound: @escaping @Sendable (_ holders: [String]) -> Void
    ) async throws {
        (process, self.onFound) = (observed.process, onFound)
        session = try await DatabaseSession.open(Connector(parameters))
    }

    func close() {
        session.close()
    }

    /// Looks until the task is cancelled or the connection is lost.
    func watch(every interval: Duration) async {
        while session.failure == nil {
            do {
                try await Task.sleep(for: interval)
                let found = try await session.run([waits], isCancellable: false).joined().map(Self.words)
                guard !found.isEmpty else { continue }
                if holders.isEmpty { onFound(found) }
                holders = found
            } catch {
                return
            }
        }
    }

    /// A role that is not a superuser sees the names of other roles' sessions, but not their statements.
    private var waits: SQL {
        """
        SELECT DISTINCT holder.pid, a.usename::text AS role, a.application_name AS application, wait.relation::regclass::text AS relation
        FROM pg_locks wait CROSS JOIN LATERAL unnest(pg_blocking_pids(wait.pid)) AS holder (pid)
            LEFT JOIN pg_stat_activity a ON a.pid = holder.pid
        WHERE wait.pid = \(process) AND NOT wait.granted ORDER BY 1
        """
    }

    private static func words(_ row: Row) throws -> String {
        let (role, application, relation): (String?, String?, String?) = (
            try row.get("role"), try row.get("application"), try row.get("relation")
        )
        let details = [role.map { "role \($0)" }, application.flatMap { $0.isEmpty ? nil : "application \($0)" }].compactMap(\.self)
        return "Process \(try row.get("pid", as: Int32.self))" + (details.isEmpty ? "" : " (\(details.joined(separator: ", ")))")
            + " holds a lock\(relation.map { " on \($0)" } ?? "")."
    }
}
