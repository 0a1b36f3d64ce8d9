#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The prepared statements of one PostgreSQL session, by text and types of the values. New statements replace the
/// least recently used ones.
struct PreparedStatements {
    struct Key: Hashable {
        /// UTF-8.
        var text: [UInt8]
        var types: [UInt32]

        init(_ statement: SQL) {
            (text, types) = (statement.utf8, statement.types)
        }

        /// Compares whole memory. `==` of two arrays compares each byte.
        static func == (left: Key, right: Key) -> Bool {
            left.text.count == right.text.count && left.types == right.types
                && left.text.withUnsafeBytes { left in
                    right.text.withUnsafeBytes { left.isEmpty || memcmp(left.baseAddress!, $0.baseAddress!, left.count) == 0 }
                }
        }

        /// Uses only the lengths and the ends of the text. The hash of the whole text costs much more.
        /// The few texts that agree in these are compared.
        func hash(into hasher: inout Hasher) {
            hasher.combine(text.count)
            hasher.combine(types.count)
            text.withUnsafeBytes { text in
                hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: text.prefix(32)))
                hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: text.suffix(32)))
            }
        }
    }

    private struct Entry {
        var name: String
        var lastUse: UInt64
    }

    /// The maximum number per session. Each costs the server about 10 to 100 kB.
    let capacity: Int
    private var entries: [Key: Entry] = [:]
    private var uses: UInt64 = 0
    private var names: UInt64 = 0
    /// Names that the server still knows and that are no longer used.
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

    /// Returns a new name for a statement to prepare. `insert` stores it after the server has prepared it. After an
    /// error, the server skips the rest of a pipeline and its prepared statements.
    mutating func newName() -> String {
        names += 1
        return "s\(names)"
    }

    mutating func insert(_ key: Key, name: String) {
        if let old = entries.updateValue(Entry(name: name, lastUse: uses), forKey: key) { discarded.append(old.name) }
        // A scan of all entries is rare, and cheap compared to the round trip that caused it.
        if entries.count > capacity, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            forget(oldest.key)
        }
    }

    /// Forgets a statement, so that its next use prepares it again.
    mutating func forget(_ key: Key) {
        if let entry = entries.removeValue(forKey: key) { discarded.append(entry.name) }
    }

    /// The server has dropped all statements, for example because of a pooler's `DISCARD ALL`.
    mutating func forgetAll() {
        entries = [:]
        discarded = []
    }

    /// Returns the names to deallocate, once, because deallocating a name twice is an error.
    mutating func takeDiscarded() -> [String] {
        defer { discarded = [] }
        return discarded
    }

    /// Takes back names whose DEALLOCATE was skipped.
    mutating func discard(_ names: [String]) {
        discarded += names
    }
}
