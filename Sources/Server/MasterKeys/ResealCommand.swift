import Access
import ArgumentParser
import Foundation
import Postgres
import Sealing

struct ResealCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reseal",
        abstract: "Seals all stored data under the newest master key.",
        discussion: """
            Reads every sealed column in short statements, while servers run, and seals each value of an older key again under the newest \
            key. If a server changes a value at the same time, the server's value stays. You may stop the command and run it again. \
            Prints a line for each column, and progress on standard error.

            First restart every server with the new key after the old one, and then with the new key first. The command fails while a \
            server has another key first, and for 3 minutes after that. It prints the time from which it works. At the end, it prints \
            when the old key may be dropped.

            Connects as the owner of the schema, ESPALIER_MIGRATION_DATABASE_URL, and needs ESPALIER_MASTER_KEYS. Exits with 1 if data \
            remains under an older key.
            """)

    func run() async throws {
        let problems = try await orRefuse {
            let settings = try MasterKeySettings(try await Settings.reader())
            return try await settings.withDatabase { database in
                try await Self.reseal(with: settings.keyring, in: database)
            }
        }
        guard problems.isEmpty else {
            for line in problems { Self.say("espalier: \(line)") }
            throw ExitCode.failure
        }
    }

    private static func say(_ line: String) {
        FileHandle.standardError.write(Data("\(line)\n".utf8))
    }

    /// - Returns: The remaining problems, one per line.
    private static func reseal(with keyring: Keyring, in database: PlatformDatabase) async throws -> [String] {
        let (known, start) = try await KnownMasterKey.all(in: database)
        let empty = try await emptyKeys(known, keyring, in: database, at: start)
        try ResealOrder(newest: keyring.masterKeyIDs[0], older: Array(keyring.masterKeyIDs.dropFirst()))
            .require(known.filter { !empty.contains($0.id) }, at: start)
        _ = try await database.run(KnownMasterKey.note(keyring))
        var problems: [String] = []
        var needed: Set<KeyID> = []
        for column in SealedData.columns {
            let name = "\(column.table).\(column.column)"
            let result = try await SealedData(database: database).reseal(column, with: keyring) { result in
                guard result.rows.isMultiple(of: 10_000) else { return }
                say("\(name): \(result.rows) rows checked, \(result.moved) values moved")
            }
            print(name + String(repeating: " ", count: max(1, 40 - name.utf8.count)) + "\(result.moved) moved")
            if result.held > 0 {
                problems.append("\(name): running servers hold \(result.held) rows. Run the command again.")
                needed.formUnion(keyring.masterKeyIDs)
            }
            for (key, values) in result.unreadable {
                problems.append(Self.problem(name, values, key, keyring))
                if let key { needed.insert(key) }
            }
        }
        let lost = needed.subtracting(keyring.masterKeyIDs)
        if !lost.isEmpty { _ = try await database.run(KnownMasterKey.require(Array(lost), at: start)) }
        for id in empty where !needed.contains(id) { print("\(id) was noted by a server, but nothing is sealed under it.") }
        _ = try await database.run(
            KnownMasterKey.clear((keyring.masterKeyIDs.dropFirst() + empty).filter { !needed.contains($0) }, since: start))
        return problems + (try await conclude(keyring, in: database))
    }

    /// The noted keys that seal no value and that no server uses, for example from a server that was once started with a wrong key.
    /// They must not stop a rotation.
    private static func emptyKeys(
        _ known: [KnownMasterKey], _ keyring: Keyring, in database: PlatformDatabase, at now: Date
    ) async throws -> [KeyID] {
        let unlisted = known.filter { $0.isNeeded && !keyring.masterKeyIDs.contains($0.id) && $0.silentAt.map { $0 < now } ?? false }
        guard !unlisted.isEmpty else { return [] }
        let sealing = try await SealedData(database: database).keys()
        return unlisted.map(\.id).filter { !sealing.contains($0) }
    }

    private static func problem(_ column: String, _ values: Int, _ key: KeyID?, _ keyring: Keyring) -> String {
        guard let key else { return "\(column): \(values) values have no master key ID. They were changed, or are from a newer version." }
        return keyring.masterKeyIDs.contains(key)
            ? "\(column): \(values) values of the key \(key) do not open. They were changed, or moved to another row."
            : "\(column): \(values) values are sealed under the key \(key), which ESPALIER_MASTER_KEYS lacks. Add it after the others."
    }

    /// Reports the state of each older key.
    private static func conclude(_ keyring: Keyring, in database: PlatformDatabase) async throws -> [String] {
        let (known, now) = try await KnownMasterKey.all(in: database)
        var problems: [String] = []
        for id in keyring.masterKeyIDs.dropFirst() {
            switch known.first(where: { $0.id == id })?.state(at: now) ?? .unused {
            case .unused: print("\(id) has sealed nothing yet. To move data to it, put it first in ESPALIER_MASTER_KEYS.")
            case .needed: problems.append("\(id) is still needed.")
            case .expiring(let end): print("\(id) may be dropped from ESPALIER_MASTER_KEYS from \(end.formatted(.iso8601)).")
            case .droppable: print("\(id) may be dropped from ESPALIER_MASTER_KEYS.")
            }
        }
        return problems
    }
}
