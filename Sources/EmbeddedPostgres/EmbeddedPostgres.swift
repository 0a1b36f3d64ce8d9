import Encoding
import Foundation

/// A private PostgreSQL cluster under a folder, for `espalier-dev dev` and for tests.
///
/// ```
/// <folder>/data          the cluster: initdb creates it on first use, and later starts reuse it
/// <folder>/run           the Unix socket, its only entrance; mode 0700, so only the owner and root reach it
/// <folder>/postgres.log  the server's output since its last start
/// <folder>/lock          locked while a process uses the folder
/// ```
/// There is no password, because only trusted accounts reach the socket. As root, the server runs under another user,
/// because PostgreSQL refuses root. A guardian stops the server when this process ends for any reason (see `Guardian`).
package actor EmbeddedPostgres {
    private let folder: String
    private let superuser: String
    private let settings: [String: String]
    private let isThrowAway: Bool
    private let account: ServerAccount

    private var lock: FolderLock?
    private var guardian: Guardian?
    /// The folder of the socket. Known after the first start of the cluster.
    private var socketFolder: String?

    /// - Parameters:
    ///   - folder: Created if it is missing. The server's user need not be able to read its parents.
    ///   - superuser: The role that owns the cluster. initdb creates it on first use.
    ///   - settings: Settings of `postgresql.conf` for this run.
    ///   - isThrowAway: Whether the folder is removed when the cluster stops or the process ends. Stopping then waits
    ///     for no writes.
    package init(folder: String, superuser: String = "postgres", settings: [String: String] = [:], isThrowAway: Bool = false) {
        self.folder = URL(filePath: folder).standardizedFileURL.path(percentEncoded: false).droppingLastSlash
        self.superuser = superuser
        self.settings = settings
        self.isThrowAway = isThrowAway
        account = ServerAccount.current
    }

    private nonisolated var data: String { folder + "/data" }
    private var log: String { folder + "/postgres.log" }

    /// Returns a libpq URI for a role and a database of the cluster. It is valid while the cluster runs.
    package func url(user: String, database: String) -> String {
        "postgresql://\(Form.encode(user))@/\(Form.encode(database))?host=\(Form.encode(socketFolder ?? folder + "/run"))"
    }

    // MARK: Starting

    /// Starts the server, and returns when it accepts connections. It does nothing if the server already runs.
    ///
    /// It first stops a server that a dead process left in the folder.
    /// - Throws: `EmbeddedPostgresError` with the next step.
    package func start() async throws {
        guard guardian == nil else { return }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        if lock == nil { lock = try FolderLock(path: folder + "/lock", folder: folder) }
        do {
            let tools = try PostgresTools.find(forData: data)
            try await stopLeftover()
            try await initialize(tools)
            try await launch(tools)
        } catch {
            // The first error is the one to report.
            try? await guardian?.stop()
            guardian = nil
            lock = nil
            throw error
        }
    }

    private func initialize(_ tools: PostgresTools) async throws {
        guard !FileManager.default.fileExists(atPath: data + "/PG_VERSION") else { return }
        try await fill(
            tools.initdb, ["--username", superuser, "--auth", "trust", "--encoding", "UTF8", "--locale", "C.UTF-8", "--no-sync"])
    }

    /// Makes the data with a program that writes it to the folder `--pgdata`.
    private func fill(_ program: String, _ arguments: [String]) async throws {
        // Another name until it is complete, so that an interrupted program does not leave an apparent cluster.
        let partial = folder + "/data.partial"
        try? FileManager.default.removeItem(atPath: partial)
        try account.makeFolder(partial)
        try await account.run(program, ["--pgdata", partial] + arguments, in: folder)
        try FileManager.default.moveItem(atPath: partial, toPath: data)
    }

    /// Copies a running cluster into this folder, which must be empty, as its standby. After `start`, it follows the other cluster by
    /// streaming replication, until `SELECT pg_promote()`.
    /// - Throws: `EmbeddedPostgresError` with the next step.
    package func copy(_ primary: EmbeddedPostgres) async throws {
        let (host, user) = (await primary.socketFolder ?? "", primary.superuser)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        if lock == nil { lock = try FolderLock(path: folder + "/lock", folder: folder) }
        try await fill(
            try PostgresTools.find(forData: primary.data).baseBackup,
            ["--host", host, "--port", "5432", "--username", user, "--checkpoint", "fast", "--write-recovery-conf", "--no-sync"])
    }

    private func launch(_ tools: PostgresTools) async throws {
        let socketFolder = try makeSocketFolder()
        self.socketFolder = socketFolder
        var arguments = ["-D", data, "-c", "listen_addresses=", "-c", "unix_socket_directories=\(socketFolder)", "-c", "port=5432"]
        for (name, value) in settings.sorted(by: { $0.key < $1.key }) { arguments += ["-c", "\(name)=\(value)"] }
        let command = try await account.command(tools.postgres, arguments, in: folder)
        // The file of a crashed server would be treated as the new server's file.
        try? FileManager.default.removeItem(atPath: data + "/postmaster.pid")
        let guardian = Guardian(
            of: command, log: log, signal: isThrowAway ? .immediate : .fast,
            trash: (isThrowAway ? [folder] : []) + (isSocketFolderTemporary ? [socketFolder] : []))
        self.guardian = guardian
        while !isReady {
            guard !guardian.hasEnded else {
                throw EmbeddedPostgresError.serverFailed(log: log, lastLines: lastLinesOfLog)
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// The eighth line of `postmaster.pid` shows it. pg_ctl reads the same line.
    private var isReady: Bool {
        guard let text = try? String(contentsOfFile: data + "/postmaster.pid", encoding: .utf8) else { return false }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.count >= 8 && lines[7].hasPrefix("ready")
    }

    private var lastLinesOfLog: String {
        let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").suffix(5).joined(separator: "\n")
    }

    private var isSocketFolderTemporary: Bool { socketFolder != folder + "/run" }

    /// `<folder>/run`, or a short folder elsewhere if the path of the socket would exceed the kernel's 107 bytes or contain a
    /// separator of PostgreSQL's list of folders.
    private func makeSocketFolder() throws -> String {
        let usual = folder + "/run"
        let path: String
        if (usual + "/.s.PGSQL.5432").utf8.count <= 107, !usual.contains(where: { ",\"' ".contains($0) }) {
            path = usual
            try? FileManager.default.removeItem(atPath: path)
        } else {
            path =
                FileManager.default.temporaryDirectory.path(percentEncoded: false).droppingLastSlash
                + "/postgres-" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
        }
        try account.makeFolder(path)
        return path
    }

    // MARK: Stopping

    /// Stops the server. Its sessions end, and committed data is on disk. The folder of a throw-away cluster is
    /// removed.
    package func stop() async throws {
        try await guardian?.stop()
        guardian = nil
        lock = nil
        if isThrowAway { try? FileManager.default.removeItem(atPath: folder) }
    }

    /// Stops the server as an administrator does, also a throw-away one: its sessions end with an error, and all changes are on disk and at
    /// its standbys. The folder stays, and `start` starts it again.
    package func shutDown() async throws {
        guard let guardian else { return }
        requestShutDown()
        try await guardian.ended()
        try await guardian.stop()
        self.guardian = nil
    }

    /// Kills the server, as a machine failure would. `start` starts it again and lets it recover.
    package func crash() async throws {
        guard let guardian else { return }
        ServerProcesses.kill(in: data)
        try await guardian.ended()
        // A process that the postmaster started in the meantime could wait forever for a lock of a killed process.
        ServerProcesses.kill(in: data)
        try await guardian.stop()
        self.guardian = nil
        try await ServerProcesses.waitForEnd(of: data)
    }

    /// This process has the folder's lock. So a server that still runs there has lost its owner.
    private func stopLeftover() async throws {
        requestShutDown()
        try await ServerProcesses.waitForEnd(of: data)
    }

    /// The fast shutdown: the server ends its sessions, and writes all changes to disk.
    private func requestShutDown() {
        if let postmaster = ServerProcesses.postmaster(of: data) { kill(postmaster, SIGINT) }
    }
}

extension String {
    fileprivate var droppingLastSlash: String {
        count > 1 && hasSuffix("/") ? String(dropLast()) : self
    }
}
