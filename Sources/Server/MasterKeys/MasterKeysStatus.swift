import Access
import ArgumentParser
import Foundation
import Sealing

struct MasterKeysStatus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Lists the master keys and the data sealed under each.",
        discussion: """
            Prints a line for each master key with its ID, and below it the number of sealed values per column. Shows which key may be \
            dropped from ESPALIER_MASTER_KEYS, and when. Reads every sealed column in short statements. Servers may run at the same time.

            Connects as the owner of the schema, ESPALIER_MIGRATION_DATABASE_URL, and needs ESPALIER_MASTER_KEYS. Exits with 1 if a \
            needed key is missing or a value has no key ID.
            """)

    @Flag(help: "Prints JSON.")
    var json = false

    func run() async throws {
        let status = try await orRefuse {
            let settings = try MasterKeySettings(try await Settings.reader())
            let status = try await settings.withDatabase { database in try await MasterKeyStatus(of: settings.keyring, in: database) }
            print(try json ? status.json : status.text)
            return status
        }
        guard status.isSound else { throw ExitCode.failure }
    }
}

/// The master keys of an installation, and the data sealed under each.
struct MasterKeyStatus: Encodable, Sendable {
    enum State: String, Encodable {
        /// The newest key.
        case sealing
        case unused, needed, expiring, droppable
        /// Data is sealed under it, but it is not in ESPALIER_MASTER_KEYS.
        case missing
    }

    struct Column: Encodable, Sendable {
        let table, column: String
        let values: Int
    }

    struct Key: Encodable, Sendable {
        let id: String
        /// The position in ESPALIER_MASTER_KEYS, from 1.
        let position: Int?
        let state: State
        /// The time at which a running server last had it as its newest key.
        let sealing_at: Date?
        /// The expiry of the last token sealed under it.
        let droppable_at: Date?
        let sealed: [Column]
    }

    let keys: [Key]
    /// Values without a key ID.
    let unreadable: [Column]

    var isSound: Bool { unreadable.isEmpty && !keys.contains { $0.state == .missing } }

    init(of keyring: Keyring, in database: PlatformDatabase) async throws {
        var columns: [KeyID?: [Column]] = [:]
        for column in SealedData.columns {
            for (key, values) in try await SealedData(database: database).count(column) {
                columns[key, default: []].append(Column(table: column.table, column: column.column, values: values))
            }
        }
        let (known, now) = try await KnownMasterKey.all(in: database)
        let ring = keyring.masterKeyIDs
        let others = Set(columns.keys.compactMap(\.self) + known.filter(\.isNeeded).map(\.id)).subtracting(ring)
        keys = (ring + others.sorted { $0.description < $1.description }).map { id in
            let (position, entry) = (ring.firstIndex(of: id).map { $0 + 1 }, known.first { $0.id == id })
            let sealed = columns[id] ?? []
            var (state, end): (State, Date?) = (.unused, nil)
            switch entry?.state(at: now) ?? .unused {
            case .unused: state = .unused
            case .needed: state = .needed
            case .expiring(let date): (state, end) = (.expiring, date)
            case .droppable: state = .droppable
            }
            if !sealed.isEmpty { (state, end) = (.needed, nil) }
            if position == nil { state = .missing }
            if position == 1 { (state, end) = (.sealing, nil) }
            return Key(
                id: id.description, position: position, state: state, sealing_at: entry?.sealingAt, droppable_at: end, sealed: sealed)
        }
        unreadable = columns[nil] ?? []
    }

    var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            encoder.dateEncodingStrategy = .iso8601
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }

    var text: String {
        var lines: [String] = []
        for key in keys {
            lines.append("\(key.id)  \(key.words)")
            lines += key.sealed.map(Self.line)
        }
        if !unreadable.isEmpty {
            lines += ["These values have no master key ID. They were changed, or are from a newer version."] + unreadable.map(Self.line)
        }
        return lines.joined(separator: "\n")
    }

    private static func line(_ column: Column) -> String {
        let name = "\(column.table).\(column.column)"
        return "    " + name + String(repeating: " ", count: max(1, 40 - name.utf8.count)) + String(column.values)
    }
}

extension MasterKeyStatus.Key {
    var words: String {
        switch state {
        case .sealing: "newest: seals all new values"
        case .unused: "unused: nothing is sealed under it"
        case .needed:
            sealed.isEmpty
                ? "needed until `espalier master-keys reseal` confirms that nothing is left" : "needed: run `espalier master-keys reseal`"
        case .expiring: "may be dropped from \(droppable_at?.formatted(.iso8601) ?? ""): until then, login attempts may be sealed under it"
        case .droppable: "may be dropped from ESPALIER_MASTER_KEYS"
        case .missing: "missing from ESPALIER_MASTER_KEYS: add it after the others"
        }
    }
}
