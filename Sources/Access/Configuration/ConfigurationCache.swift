package import Foundation
import Synchronization

/// Configuration kept in the memory of a process: bounded, short-lived, emptied by name.
///
/// Every value belongs to an owner (a tenant, or the platform), and a notification from the database
/// names the owner whose configuration changed. A key without a value is remembered as well, so that a
/// guess costs one load, and is forgotten when the value may have come into being. Callers who miss the
/// same key together wait for one load.
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
        /// Keys that were looked up in vain, until when that holds.
        var missing: [Key: ContinuousClock.Instant] = [:]
        /// Keys in the order they came, each once, a ring: the oldest makes room. One that was forgotten keeps its place.
        var ring: [Key] = []
        var inRing: Set<Key> = []
        var next = 0
        var loads: [Key: (id: UInt64, task: Task<Owned?, any Error>)] = [:]
        /// Grows with each change: what was read before one is not kept after it.
        var changes: UInt64 = 0
        var lastLoad: UInt64 = 0
        /// Whether changes are being heard. If not, nothing is kept longer than a moment.
        var isFresh = false
    }

    private let capacity: Int
    private let state = Mutex(State())
    private let load: @Sendable (Key) async throws -> Owned?

    /// - Parameters:
    ///   - capacity: the number of values kept. The cache also keeps up to 10,000 keys without a value.
    ///   - load: reads one from the database, or nil if there is none.
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
            // A task of its own: the first caller may go away while others wait.
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
                // Names that strangers make up push out only one another.
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

    /// Something of this owner changed. The platform's reaches everyone. Without an owner, something has come into being.
    /// - Parameter mayBeNew: Whether the change may give a value to a key that had none.
    package func forget(_ owner: UUID?, mayBeNew: Bool = true) {
        state.withLock { state in
            state.changes += 1
            // Who asks from now on must not join a read from before the change.
            state.loads = [:]
            guard owner != .platform else {
                Self.empty(&state)
                return
            }
            if let owner { for key in state.keys.removeValue(forKey: owner) ?? [] { state.entries[key] = nil } }
            if mayBeNew { state.missing.removeAll() }
        }
    }

    /// Changes are heard from now on, or no longer: either way, what is here may be stale.
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
