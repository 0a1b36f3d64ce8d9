package import Foundation
import Synchronization

/// Caches configuration in the memory of a process. The cache is bounded and short-lived.
///
/// Every value belongs to an owner (a tenant, or the platform). A notification from the database names the owner whose configuration
/// changed, and empties that owner's entries. The cache also remembers a key without a value, so that a guess costs one load. It forgets
/// such a key when the value may exist by now. Callers that miss the same key at the same time wait for one load.
///
/// The subscript never returns a value that may be outdated. `recent` may return one while the database does not answer, for callers that
/// decide nothing with it.
package final class ConfigurationCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    package struct Owned: Sendable {
        package let value: Value
        package let owner: UUID

        package init(_ value: Value, owner: UUID) {
            (self.value, self.owner) = (value, owner)
        }
    }

    private struct Entry {
        let owned: Owned
        /// When the load started. The value is at least as new.
        let loaded: ContinuousClock.Instant
        let expires: ContinuousClock.Instant
        /// The era of the load.
        let era: UInt64
    }

    private enum Found {
        case current(Entry)
        /// The value may have changed.
        case outdated(Entry)
        /// The key has no value.
        case missing
        case unknown
    }

    private struct Load {
        let id: UInt64
        let started: ContinuousClock.Instant
        let task: Task<Owned?, any Error>
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var keys: [UUID: Set<Key>] = [:]
        /// Keys without a value, with the time until which this is remembered.
        var missing: [Key: ContinuousClock.Instant] = [:]
        /// A ring of keys in the order of their arrival, each once. A new key replaces the oldest. A forgotten key retains its place.
        var ring: [Key] = []
        var inRing: Set<Key> = []
        var next = 0
        var loads: [Key: Load] = [:]
        /// Grows with each reported change. A value that was read before a change is not cached after it.
        var changes: UInt64 = 0
        /// Grows when notifications start or stop. A value from an earlier era may be outdated.
        var era: UInt64 = 0
        var lastLoad: UInt64 = 0
        /// Whether the process receives notifications of changes. If not, no entry stays longer than a moment.
        var isFresh = false

        func find(_ key: Key, at now: ContinuousClock.Instant) -> Found {
            if let entry = entries[key] { return entry.era == era && now < entry.expires ? .current(entry) : .outdated(entry) }
            return missing[key].map { now < $0 } == true ? .missing : .unknown
        }

        /// Removes a value. Its key retains its place in the ring.
        mutating func remove(_ key: Key) {
            guard let owner = entries.removeValue(forKey: key)?.owned.owner else { return }
            keys[owner]?.remove(key)
            if keys[owner]?.isEmpty == true { keys[owner] = nil }
        }

        mutating func removeAll() {
            entries.removeAll()
            keys.removeAll()
            missing.removeAll()
            ring.removeAll()
            inRing.removeAll()
            next = 0
        }
    }

    private let capacity: Int
    private let recency: Duration?
    private let state = Mutex(State())
    private let load: @Sendable (Key) async throws -> Owned?

    /// - Parameters:
    /// - capacity: the number of cached values. The cache also has room for up to 10,000 keys without a value.
    /// - recency: how old a value of `recent` may be. Without it, the cache forgets values that may be outdated.
    /// - load: reads a value from the database, or nil if there is none.
    package init(capacity: Int = 10_000, recency: Duration? = nil, load: @escaping @Sendable (Key) async throws -> Owned?) {
        (self.capacity, self.recency, self.load) = (capacity, recency, load)
    }

    package subscript(_ key: Key) -> Value? {
        get async throws {
            switch state.withLock({ $0.find(key, at: .now) }) {
            case .current(let entry): entry.owned.value
            case .missing: nil
            case .outdated, .unknown: try await startedLoad(of: key).task.value?.value
            }
        }
    }

    /// A value that may be outdated because the database did not answer soon enough.
    package struct Recent: Sendable {
        package let value: Value
        /// Whether the value may have changed since it was read.
        package let isOld: Bool
    }

    /// How long a caller of `recent` waits for the database before it gets an old value. A read usually takes less.
    private static var patience: Duration { .milliseconds(15) }

    /// The value, or an earlier one if the database does not answer soon. An earlier value is not older than `recency`, and its owner was
    /// not reported as changed. The load continues, so that a later caller gets its result.
    ///
    /// An old value must decide nothing that a change can forbid.
    /// - Parameter waits: False for a caller that has already waited for the database without a result. It gets an earlier value at once.
    package func recent(_ key: Key, waits: Bool = true) async throws -> Recent? {
        let (found, now) = (state.withLock { $0.find(key, at: .now) }, ContinuousClock.now)
        switch found {
        case .current(let entry): return Recent(value: entry.owned.value, isOld: false)
        case .missing: return nil
        case .outdated(let entry):
            let load = startedLoad(of: key)
            guard let recency, now < entry.loaded + recency
            else { return try await load.task.value.map { Recent(value: $0.value, isOld: false) } }
            // From its start. So only the first callers during an outage wait.
            switch await Self.result(of: load.task, until: waits ? load.started + Self.patience : now) {
            case .success(let owned): return owned.map { Recent(value: $0.value, isOld: false) }
            case .failure, nil: return Recent(value: entry.owned.value, isOld: true)
            }
        case .unknown: return try await startedLoad(of: key).task.value.map { Recent(value: $0.value, isOld: false) }
        }
    }

    /// The result of a task, or nil if it has none in time.
    private static func result(
        of task: Task<Owned?, any Error>, until deadline: ContinuousClock.Instant
    ) async -> Result<Owned?, any Error>? {
        guard .now < deadline else { return nil }
        let (results, first) = AsyncStream.makeStream(of: Result<Owned?, any Error>?.self, bufferingPolicy: .bufferingOldest(1))
        Task { first.yield(await task.result) }
        let timer = Task {
            try? await Task.sleep(until: deadline, clock: .continuous)
            first.yield(nil)
        }
        defer { timer.cancel() }
        return await results.first { _ in true } ?? nil
    }

    /// The value in memory, which may be outdated. It never waits for the database. It must decide nothing.
    package func remembered(_ key: Key) -> Value? {
        switch state.withLock({ $0.find(key, at: .now) }) {
        case .current(let entry), .outdated(let entry): entry.owned.value
        case .missing, .unknown: nil
        }
    }

    private func startedLoad(of key: Key) -> Load {
        state.withLock { state in
            if let running = state.loads[key] { return running }
            state.lastLoad += 1
            let (id, now) = (state.lastLoad, ContinuousClock.now)
            let (changes, era) = (state.changes, state.era)
            // A separate task, because the first caller may disconnect while others wait.
            let task = Task { [self] in
                do {
                    let owned = try await load(key)
                    finish(key, id, .success(owned), now, since: (changes, era))
                    return owned
                } catch {
                    finish(key, id, .failure(error), now, since: (changes, era))
                    throw error
                }
            }
            let started = Load(id: id, started: now, task: task)
            state.loads[key] = started
            return started
        }
    }

    private func finish(
        _ key: Key, _ load: UInt64, _ result: Result<Owned?, any Error>, _ started: ContinuousClock.Instant,
        since before: (changes: UInt64, era: UInt64)
    ) {
        state.withLock { state in
            if state.loads[key]?.id == load { state.loads[key] = nil }
            guard case .success(let owned) = result else { return }
            let isCurrent = state.era == before.era
            guard state.changes == before.changes, isCurrent || recency != nil else {
                // The callers of this load may have a newer value than the entry, which must not follow it.
                if case .outdated = state.find(key, at: .now) { state.remove(key) }
                return
            }
            // A load of a later era has already ended. If its value may be outdated too, nobody knows which of them is newer.
            if let entry = state.entries[key], entry.loaded > started {
                if entry.era != state.era { state.remove(key) }
                return
            }
            if !isCurrent, state.missing[key] != nil { return }
            guard let owned else {
                state.remove(key)
                guard isCurrent else { return }
                // Guessed names replace only other guessed names.
                if state.missing.count >= Self.missingCapacity { state.missing.removeAll() }
                state.missing[key] = .now + (state.isFresh ? .seconds(60) : .milliseconds(500))
                return
            }
            makeRoom(for: key, &state)
            state.remove(key)
            state.entries[key] = Entry(
                owned: owned, loaded: started, expires: .now + (state.isFresh ? .seconds(60) : .milliseconds(500)), era: before.era)
            state.keys[owned.owner, default: []].insert(key)
        }
    }

    private static var missingCapacity: Int { 10_000 }

    private func makeRoom(for key: Key, _ state: inout State) {
        guard state.inRing.insert(key).inserted else { return }
        guard state.ring.count >= capacity else {
            state.ring.append(key)
            return
        }
        let oldest = state.ring[state.next]
        state.inRing.remove(oldest)
        state.remove(oldest)
        state.ring[state.next] = key
        state.next = (state.next + 1) % capacity
    }

    /// Forgets the values of an owner after a change. A change of the platform empties the whole cache. A nil owner means that something
    /// new exists.
    /// - Parameter mayBeNew: whether the change can give a value to a key that had none.
    package func forget(_ owner: UUID?, mayBeNew: Bool = true) {
        state.withLock { state in
            state.changes += 1
            // A later caller must not join a read that started before the change.
            state.loads = [:]
            guard owner != .platform else { return state.removeAll() }
            if let owner { for key in state.keys.removeValue(forKey: owner) ?? [] { state.entries[key] = nil } }
            if mayBeNew { state.missing.removeAll() }
        }
    }

    /// Forgets everything, because notifications start or stop. In both cases, cached values may be outdated. Only `recent` may still
    /// return them.
    package func forgetAll(isFresh: Bool) {
        state.withLock { state in
            state.era += 1
            state.loads = [:]
            state.isFresh = isFresh
            if recency == nil { state.removeAll() } else { state.missing.removeAll() }
        }
    }
}
