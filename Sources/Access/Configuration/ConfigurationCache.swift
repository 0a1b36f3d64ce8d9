package import Foundation
import Synchronization

/// Caches configuration in the memory of a process. The cache is bounded and short-lived.
///
/// Every value belongs to an owner (a tenant, or the platform). A notification from the database names the owner whose configuration
/// changed, and empties that owner's entries. The cache also remembers a key without a value, so that a guess costs one load. It forgets
/// such a key when the value may exist by now. Callers that miss the same key at the same time wait for one load.
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
        let expires: ContinuousClock.Instant
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
        var loads: [Key: (id: UInt64, task: Task<Owned?, any Error>)] = [:]
        /// Grows with each change. A value that was read before a change is not cached after it.
        var changes: UInt64 = 0
        var lastLoad: UInt64 = 0
        /// Whether the process receives notifications of changes. If not, no entry stays longer than a moment.
        var isFresh = false
    }

    private let capacity: Int
    private let state = Mutex(State())
    private let load: @Sendable (Key) async throws -> Owned?

    /// - Parameters:
    /// - capacity: the number of cached values. The cache also has room for up to 10,000 keys without a value.
    /// - load: reads a value from the database, or nil if there is none.
    package init(capacity: Int = 10_000, load: @escaping @Sendable (Key) async throws -> Owned?) {
        (self.capacity, self.load) = (capacity, load)
    }

    package subscript(_ key: Key) -> Value? {
        get async throws {
            let now = ContinuousClock.now
            let (found, isMissing) = state.withLock { state -> (Entry?, Bool) in
                if let entry = state.entries[key], now < entry.expires { return (entry, false) }
                return (nil, state.missing[key].map { now < $0 } ?? false)
            }
            if let found { return found.owned.value }
            return isMissing ? nil : try await loaded(key)?.value
        }
    }

    private func loaded(_ key: Key) async throws -> Owned? {
        let task = state.withLock { state in
            if let (_, running) = state.loads[key] { return running }
            state.lastLoad += 1
            let (id, changes) = (state.lastLoad, state.changes)
            // A separate task, because the first caller may disconnect while others wait.
            let task = Task { [self] in
                do {
                    let owned = try await load(key)
                    finish(key, id, .success(owned), since: changes)
                    return owned
                } catch {
                    finish(key, id, .failure(error), since: changes)
                    throw error
                }
            }
            state.loads[key] = (id, task)
            return task
        }
        return try await task.value
    }

    private func finish(_ key: Key, _ load: UInt64, _ result: Result<Owned?, any Error>, since changes: UInt64) {
        state.withLock { state in
            if state.loads[key]?.id == load { state.loads[key] = nil }
            guard case .success(let owned) = result, state.changes == changes else { return }
            guard let owned else {
                // Guessed names replace only other guessed names.
                if state.missing.count >= Self.missingCapacity { state.missing.removeAll() }
                state.missing[key] = .now + (state.isFresh ? .seconds(60) : .milliseconds(500))
                return
            }
            makeRoom(for: key, &state)
            state.entries[key] = Entry(owned: owned, expires: .now + (state.isFresh ? .seconds(60) : .milliseconds(500)))
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
        if let owner = state.entries.removeValue(forKey: oldest)?.owned.owner {
            state.keys[owner]?.remove(oldest)
            if state.keys[owner]?.isEmpty == true { state.keys[owner] = nil }
        }
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
            guard owner != .platform else {
                Self.empty(&state)
                return
            }
            if let owner { for key in state.keys.removeValue(forKey: owner) ?? [] { state.entries[key] = nil } }
            if mayBeNew { state.missing.removeAll() }
        }
    }

    /// Forgets everything, because notifications start or stop. In both cases, cached values may be stale.
    package func forgetAll(isFresh: Bool) {
        state.withLock { state in
            state.changes += 1
            state.loads = [:]
            state.isFresh = isFresh
            Self.empty(&state)
        }
    }

    private static func empty(_ state: inout State) {
        state.entries.removeAll()
        state.keys.removeAll()
        state.missing.removeAll()
        state.ring.removeAll()
        state.inRing.removeAll()
        state.next = 0
    }
}
