/// Which statements one session of PostgreSQL has prepared, by text and types of the values; the least recently
/// used make room for new ones.
struct PreparedStatements {
    struct Key: Hashable {
        var text: String
        var types: [UInt32]
    }

    private struct Entry {
        var name: String
        var lastUse: UInt64
    }

    /// How many a session keeps. Each costs the server some 10 to 100 kB.
    let capacity: Int
    private var entries: [Key: Entry] = [:]
    private var uses: UInt64 = 0
    private var names: UInt64 = 0
    /// Names the server still knows and nobody will use again.
    private var discarded: [String] = []

    init(capacity: Int = 256) {
        self.capacity = capacity
    }

    var count: Int { entries.count }

    mutating func name(for key: Key) -> String? {
        uses += 1
        guard let index = entries.index(forKey: key) else { return nil }
        entries.values[index].lastUse = uses
        return entries.values[index].name
    }

    /// A name that the session has not seen, for a statement about to be prepared. It is kept by `insert` once the server
    /// has it: after an error the rest of a pipeline, and what it prepares, is skipped.
    mutating func newName() -> String {
        names += 1
        return "s\(names)"
    }

    mutating func insert(_ key: Key, name: String) {
        if let old = entries.updateValue(Entry(name: name, lastUse: uses), forKey: key) { discarded.append(old.name) }
        // A scan of all is rare and cheap next to the round trip that made it necessary.
        if entries.count > capacity, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            forget(oldest.key)
        }
    }

    /// Has the statement prepared again at its next use.
    mutating func forget(_ key: Key) {
        if let entry = entries.removeValue(forKey: key) { discarded.append(entry.name) }
    }

    /// The server has dropped all by itself, as a pooler's `DISCARD ALL` does.
    mutating func forgetAll() {
        entries = [:]
        discarded = []
    }

    /// Hands out the names to deallocate, once: naming one twice would be an error.
    mutating func takeDiscarded() -> [String] {
        defer { discarded = [] }
        return discarded
    }

    /// Takes back names whose DEALLOCATE was skipped.
    mutating func discard(_ names: [String]) {
        discarded += names
    }
}
