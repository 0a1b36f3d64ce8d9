import Foundation

/// The programs of one PostgreSQL installation.
struct PostgresTools {
    let folder: String
    let version: String

    var initdb: String { folder + "/initdb" }
    var postgres: String { folder + "/postgres" }
    /// The folder may have only links to some programs of the installation.
    var baseBackup: String {
        URL(filePath: postgres).resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "pg_basebackup")
            .path(percentEncoded: false)
    }

    /// The installation that created the data, if there is data. Otherwise the one in PATH, and then Debian's newest
    /// one.
    /// - Throws: `.missingPostgres`, `.wrongVersion`.
    static func find(forData data: String) throws -> PostgresTools {
        let installed = all()
        guard let first = installed.first else { throw EmbeddedPostgresError.missingPostgres }
        guard let made = try? String(contentsOfFile: data + "/PG_VERSION", encoding: .utf8) else { return first }
        let needed = made.trimmingCharacters(in: .whitespacesAndNewlines)
        guard let fitting = installed.first(where: { $0.version == needed }) else {
            throw EmbeddedPostgresError.wrongVersion(data: data, needs: needed, found: installed.map(\.version))
        }
        return fitting
    }

    private static func all() -> [PostgresTools] {
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        let debian = "/usr/lib/postgresql"
        let versions = ((try? FileManager.default.contentsOfDirectory(atPath: debian)) ?? []).compactMap { Int($0) }.sorted(by: >)
        return (path + versions.map { "\(debian)/\($0)/bin" }).compactMap { PostgresTools(folder: $0) }
    }

    private init?(folder: String) {
        let manager = FileManager.default
        guard manager.isExecutableFile(atPath: folder + "/initdb"), manager.isExecutableFile(atPath: folder + "/postgres"),
            let version = Self.version(of: folder)
        else { return nil }
        (self.folder, self.version) = (folder, version)
    }

    /// The major version. Debian and initdb both have it in the file name of a sample, so no process has to run.
    private static func version(of folder: String) -> String? {
        let parts = folder.split(separator: "/")
        if parts.count >= 2, parts.last == "bin", Int(parts[parts.count - 2]) != nil { return String(parts[parts.count - 2]) }
        // On other systems, the symbolic link usually leads to such a folder.
        let real = URL(filePath: folder + "/postgres").resolvingSymlinksInPath().deletingLastPathComponent().path(percentEncoded: false)
        let realParts = real.split(separator: "/")
        return realParts.dropLast().last.flatMap { Int($0) }.map(String.init) ?? "of unknown version"
    }
}
