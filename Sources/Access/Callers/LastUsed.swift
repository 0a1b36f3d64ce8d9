package import Foundation
package import Logging
package import Postgres
import ServiceLifecycle
import Synchronization

/// Saves when keys were last used, to the minute.
///
/// The caller of `note` records a use in memory. The uses are written every few seconds and at the end of the process, so a read needs no
/// second round trip. A killed process loses the uses that it has not written yet.
package final class LastUsed: Service {
    private struct Use: Hashable {
        let id: UUID
        let owner: UUID
        /// Its place in `statements`.
        let kind: Int
    }

    private struct State {
        /// The minutes that are not written yet, counted from 1970.
        var noted: [Use: Int] = [:]
        /// The last written minute of each key.
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
        database: PlatformDatabase, kinds: [(any Identified.Type, Statement)], interval: Duration = .seconds(5), logger: Logger
    ) {
        (self.database, self.interval, self.logger) = (database, interval, logger)
        (self.kinds, statements) = (kinds.map(\.0), kinds.map(\.1))
    }

    /// Records a use.
    /// - Parameter owner: the tenant's ID, or the platform's ID.
    package func note<Key: Identified>(_ key: ID<Key>, owner: UUID, at now: Date) {
        guard let kind = kinds.firstIndex(where: { $0 == Key.self }) else { preconditionFailure("no statement for \(Key.idPrefix)") }
        let use = Use(id: key.uuid, owner: owner, kind: kind)
        let minute = Int(now.timeIntervalSince1970 / 60)
        state.withLock { state in
            guard state.written[use] ?? .min < minute, state.noted[use] ?? .min < minute else { return }
            state.noted[use] = minute
        }
    }

    /// Writes the recorded uses in one round trip. Uses that cannot be written stay recorded for the next flush.
    package func flush() async {
        let uses = state.withLock { state in
            defer { state.noted = [:] }
            return state.noted
        }
        guard !uses.isEmpty else { return }
        do {
            _ = try await database.run(statements(of: uses))
            state.withLock { state in
                // Earlier minutes are no longer recorded. Removing them limits the size of this dictionary.
                let newest = uses.values.max() ?? 0
                state.written = state.written.filter { $0.value >= newest }.merging(uses) { max($0, $1) }
            }
        } catch {
            state.withLock { $0.noted.merge(uses) { max($0, $1) } }
            if !(error is CancellationError) { logger.warning("last uses of keys not written yet", metadata: ["cause": "\(error)"]) }
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
