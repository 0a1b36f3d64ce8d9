import EmbeddedPostgres
import Foundation
import Logging
import Postgres
import Sealing
import Server

/// The database of `espalier-dev dev`, with its roles and its schema.
struct DevDatabase: Sendable {
    let ownerURL: String
    /// The URL for the role that production uses, so that isolation also applies here.
    let serverURL: String
    let migrator: Migrator

    init(_ postgres: EmbeddedPostgres, migrator: Migrator) async throws {
        ownerURL = await postgres.url(user: "postgres", database: "espalier")
        serverURL = await postgres.url(user: "espalier_server", database: "espalier")
        self.migrator = migrator
        try await withPool(await postgres.url(user: "postgres", database: "postgres")) { pool in
            if try await pool.run("SELECT 1 FROM pg_roles WHERE rolname = 'espalier_server'").isEmpty {
                _ = try await pool.run("CREATE ROLE espalier_server LOGIN")
            }
            if try await pool.run("SELECT 1 FROM pg_database WHERE datname = 'espalier'").isEmpty {
                _ = try await pool.run("CREATE DATABASE espalier")
            }
        }
        _ = try await migrator.migrate(url: ownerURL)
        try await SimulatedClock.set(true, url: ownerURL)
    }
}

/// The master key of `espalier-dev dev`, in a file that only its user can read.
enum DevMasterKey {
    static func read(orMakeIn folder: URL) throws -> String {
        let file = folder.appending(path: "master-key")
        if let key = try? String(contentsOf: file, encoding: .utf8) { return key.trimmingCharacters(in: .whitespacesAndNewlines) }
        let key = MasterKey.generate().base64.reveal()
        try PrivateFile.write(Data((key + "\n").utf8), to: file)
        return key
    }
}

/// A file with secrets. It has mode 0600 from its first byte and is never partly written.
enum PrivateFile {
    static func write(_ data: Data, to file: URL) throws {
        let temporary = file.deletingLastPathComponent().appending(
            path: ".\(file.lastPathComponent).\(ProcessInfo.processInfo.processIdentifier)")
        try? FileManager.default.removeItem(at: temporary)
        guard FileManager.default.createFile(atPath: temporary.path, contents: data, attributes: [.posixPermissions: 0o600])
        else { throw CocoaError(.fileWriteUnknown) }
        guard rename(temporary.path, file.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}
