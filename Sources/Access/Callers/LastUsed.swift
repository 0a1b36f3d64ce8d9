package import Foundation
package import Logging
package import Postgres
import ServiceLifecycle
import Synchronization

/// When keys were last used, to the minute: noted in memory by who uses one, and written every few seconds and at the end of the
/// process, so that a read costs no second round trip. What a killed process had not written is lost.
package final class LastUsed: Service {
    private struct Use: Hashable {
        let id: UUID
        let owner: UUID
        /// Its place in `statements`.
        let kind: Int
    }

    private struct State {
        /// What is yet to be written: the minute, from 1970.
        var noted: [Use: Int] = [:]
        /// The last minute that was written.
        var written: [Use: Int] = [:]
    }

    /// Writes the times of several keys of one kind.
    /// - Parameters: the owners, the IDs and the times, in the same order.
    package typealias Statement = @Sendable (_ owners: [UUID], _ ids: [UUID], _ times: [Date]) -> SQL

    private let database: PlatformDatabase
    private let kinds: [any Identified.Type]
    private let statements: [Statement]
    private let interval: Duration
    private let logger: Logger
    private let state = Mutex(State())

    /// - Parameters:
    ///   - kinds: The kinds of keys, each with the statement of the target that owns its table.
    ///   - interval: how long a use may wait to be written.
    package init(
        pool: DatabasePool, kinds: [(any Identified.Type, Statement)], interval: Duration = .seconds(5), logger: Logger
    ) {
        (database, self.interval, self.logger) = (PlatformDatabase(pool), interval, logger)
        (self.kinds, statements) = (kinds.map(\.0), kinds.map(\.1))
    }

    /// Somebody used it.
    /// - Parameter owner: a tenant's id, or the platform's.
    package func note<Key: Identified>(_ key: ID<Key>, owner: UUID, at now: Date) {
        guard let kind = kinds.firstIndex(where: { $0 == Key.self }) else { preconditionFailure("no statement for \(Key.idPrefix)") }
        let use = Use(id: key.uuid, owner: owner, kind: kind)
        let minute = Int(now.timeIntervalSince1970 / 60)
        state.withLock { state in
            guard state.written[use] ?? .min < minute, state.noted[use] ?? .min < minute else { return }
            state.noted[use] = minute
        }
    }

    /// Writes what was noted since the last time, in one round trip. What cannot be written is kept for the next time.
    package func flush() async {
        let uses = state.withLock { state in
            defer { state.noted = [:] }
            return state.noted
        }
        guard !uses.isEmpty else { return }
        do {
            _ = try await database.run(statements(of: uses))
            state.withLock { state in
                // Earlier minutes are not noted any more; forgetting them only keeps this small.
                let newest = uses.values.max() ?? 0
                state.written = state.written.filter { $0.value >= newest }.merging(uses) { max($0, $1) }
            }
        } catch {
            state.withLock { $0.noted.merge(uses) { max($0, $1) } }
            if !(error is CancellationError) { logger.warning("last uses of keys are not written yet", metadata: ["cause": "\(error)"]) }
        }
    }

    package func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                try await Task.sleep(for: self.interval)
                await self.flush()
            }
        }
        await flush()
    }

    private func statements(of uses: [Use: Int]) -> [SQL] {
        var columns = [Columns](repeating: Columns(), count: kinds.count)
        for (use, minute) in uses {
            columns[use.kind].append(use.owner, use.id, Date(timeIntervalSince1970: Double(minute) * 60))
        }
        return zip(columns, statements).compactMap { columns, statement in
            columns.ids.isEmpty ? nil : statement(columns.owners, columns.ids, columns.times)
        }
    }

    private struct Columns {
        var owners: [UUID] = []
        var ids: [UUID] = []
        var times: [Date] = []

        mutating func append(_ owner: UUID, _ id: UUID, _ time: Date) {
            owners.append(owner)
            ids.append(id)
            times.append(time)
        }
    }
}
