package import Foundation
package import Logging
package import Postgres
import ServiceLifecycle
import Synchronization

/// When keys were last used, to the minute: noted in memory by who uses one, and written every few seconds and at the end of the
/// process, so that a read costs no second round trip. What a killed process had not written is lost.
package final class LastUsed: Service {
    /// What can be used.
    package enum Key: Hashable, Sendable {
        case apiKey(ID<APIKey>)
        case appleKey(ID<AppleKey>)
    }

    private struct Use: Hashable {
        let key: Key
        let owner: UUID
    }

    private struct State {
        /// What is yet to be written: the minute, from 1970.
        var noted: [Use: Int] = [:]
        /// The last minute that was written.
        var written: [Use: Int] = [:]
    }

    private let database: PlatformDatabase
    private let interval: Duration
    private let logger: Logger
    private let state = Mutex(State())

    /// - Parameter interval: how long a use may wait to be written.
    package init(pool: DatabasePool, interval: Duration = .seconds(5), logger: Logger) {
        (database, self.interval, self.logger) = (PlatformDatabase(pool), interval, logger)
    }

    /// Somebody used it.
    /// - Parameter owner: a tenant's id, or the platform's.
    package func note(_ key: Key, owner: UUID, at now: Date) {
        let use = Use(key: key, owner: owner)
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
            _ = try await database.run(Self.statements(uses))
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

    /// Rows are locked in the order of their ids: processes that write the same ones wait for one another, never in a circle.
    private static func statements(_ uses: [Use: Int]) -> [SQL] {
        var (apiKeys, appleKeys) = (Columns(), Columns())
        for (use, minute) in uses {
            let time = Date(timeIntervalSince1970: Double(minute) * 60)
            switch use.key {
            case .apiKey(let id): apiKeys.append(use.owner, id.uuid, time)
            case .appleKey(let id): appleKeys.append(use.owner, id.uuid, time)
            }
        }
        var statements: [SQL] = []
        if !apiKeys.ids.isEmpty {
            statements.append(
                """
                WITH used AS (SELECT * FROM unnest(\(apiKeys.owners), \(apiKeys.ids), \(apiKeys.times)) AS used (owner, id, at)),
                locked AS (
                    SELECT k.tenant_id, k.id, used.at FROM used JOIN api_key k ON k.tenant_id = used.owner AND k.id = used.id
                    ORDER BY k.tenant_id, k.id FOR NO KEY UPDATE OF k)
                UPDATE api_key SET last_used_at = locked.at FROM locked
                WHERE api_key.tenant_id = locked.tenant_id AND api_key.id = locked.id
                AND (api_key.last_used_at IS NULL OR api_key.last_used_at < locked.at)
                """)
        }
        if !appleKeys.ids.isEmpty {
            statements.append(
                """
                WITH used AS (SELECT * FROM unnest(\(appleKeys.owners), \(appleKeys.ids), \(appleKeys.times)) AS used (owner, id, at)),
                locked AS (
                    SELECT k.tenant_id, k.id, used.at FROM used JOIN apple_key k ON k.tenant_id = used.owner AND k.id = used.id
                    -- Waits for nobody, so that nobody who waits for it is waited for: a promotion changes two keys.
                    FOR NO KEY UPDATE OF k SKIP LOCKED)
                UPDATE apple_key SET last_used_at = locked.at FROM locked
                WHERE apple_key.tenant_id = locked.tenant_id AND apple_key.id = locked.id
                AND (apple_key.last_used_at IS NULL OR apple_key.last_used_at < locked.at)
                """)
        }
        return statements
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
