import Foundation

/// A private PostgreSQL cluster under a folder, for `espalier dev` and for tests.
///
/// ```
/// <folder>/data          the cluster, made by initdb on first use, found again at every later start
/// <folder>/run           the Unix socket, its only way in; mode 0700, so only the owner (and root) gets there
/// <folder>/postgres.log  what the server says, since its last start
/// <folder>/lock          locked as long as a process uses the folder
/// ```
/// There is no password: who reaches the socket is trusted. As root the server runs under another user, since PostgreSQL
/// refuses root. However this process ends, a guardian stops the server (see `Guardian`).
package actor EmbeddedPostgres {
    private let folder: String
    private let superuser: String
    private let settings: [String: String]
    private let isThrowAway: Bool
    private let account: ServerAccount

    private var lock: FolderLock?
    private var guardian: Guardian?
    /// Where the socket is: known once the cluster has been started.
    private var socketFolder: String?

    /// - Parameters:
    ///   - folder: made if it is missing. Its parents need not be readable to the server's user.
    ///   - superuser: the role that owns the cluster, made by initdb on first use.
    ///   - settings: of `postgresql.conf`, for this run.
    ///   - isThrowAway: the folder is removed when the cluster stops or the process ends, and stopping does not wait for
    ///     anything to be written.
    package init(folder: String, superuser: String = "postgres", settings: [String: String] = [:], isThrowAway: Bool = false) {
        self.folder = URL(filePath: folder).standardizedFileURL.path(percentEncoded: false).droppingLastSlash
        self.superuser = superuser
        self.settings = settings
        self.isThrowAway = isThrowAway
        account = ServerAccount.current
    }

    private var data: String { folder + "/data" }
    private var log: String { folder + "/postgres.log" }

    /// A libpq URI for a role and a database of the cluster. It is good for as long as the cluster runs.
    package func url(user: String, database: String) -> String {
        func escaped(_ text: String) -> String {
            text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
        }
        return "postgresql://\(escaped(user))@/\(escaped(database))?host=\(escaped(socketFolder ?? folder + "/run"))"
    }

    // MARK: Starting

    /// Starts the server, and returns when it takes connections. Does nothing when it runs already.
    ///
    /// A server that a dead process left behind in the folder is stopped first.
    /// - Throws: `EmbeddedPostgresError`, which says what to do.
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
            // The first error is the one to tell.
            try? await guardian?.stop()
            guardian = nil
            lock = nil
            throw error
        }
    }

    private func initialize(_ tools: PostgresTools) async throws {
        guard !FileManager.default.fileExists(atPath: data + "/PG_VERSION") else { return }
        // Under another name until it is whole, so that an interrupted initdb is not taken for a cluster.
        let partial = folder + "/data.partial"
        try? FileManager.default.removeItem(atPath: partial)
        try account.makeFolder(partial)
        try await account.run(
            tools.initdb,
            [
                "--pgdata", partial, "--username", superuser, "--auth", "trust", "--encoding", "UTF8", "--locale", "C.UTF-8",
                "--no-sync",
            ], in: folder)
        try FileManager.default.moveItem(atPath: partial, toPath: data)
    }

    private func launch(_ tools: PostgresTools) async throws {
        let socketFolder = try makeSocketFolder()
        self.socketFolder = socketFolder
        var arguments = ["-D", data, "-c", "listen_addresses=", "-c", "unix_socket_directories=\(socketFolder)", "-c", "port=5432"]
        for (name, value) in settings.sorted(by: { $0.key < $1.key }) { arguments += ["-c", "\(name)=\(value)"] }
        let command = try await account.command(tools.postgres, arguments, in: folder)
        // The file of a crashed server would be taken for the new one's.
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

    /// The eighth line of `postmaster.pid` tells, as pg_ctl knows it too.
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

    /// `<folder>/run`, or a short folder elsewhere when the socket's path would exceed the 107 bytes that the kernel allows, or
    /// hold what separates the folders of a list in PostgreSQL's setting.
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

    /// Stops the server: sessions are ended, what is committed is on disk. A throw-away cluster's folder is removed.
    package func stop() async throws {
        try await guardian?.stop()
        guardian = nil
        lock = nil
        if isThrowAway { try? FileManager.default.removeItem(atPath: folder) }
    }

    /// Kills the server as a failing machine would; `start` brings it back, and lets it recover.
    package func crash() async throws {
        guard let guardian else { return }
        for process in ServerProcesses.of(data: data) { kill(process, SIGKILL) }
        try await guardian.ended()
        try await guardian.stop()
        self.guardian = nil
        try await ServerProcesses.gone(from: data)
    }

    /// The owner of the folder's lock is this process, so what still runs there has lost its own.
    private func stopLeftover() async throws {
        if let postmaster = ServerProcesses.postmaster(of: data) { kill(postmaster, SIGINT) }
        try await ServerProcesses.gone(from: data)
    }
}

extension String {
    fileprivate var droppingLastSlash: String {
        count > 1 && hasSuffix("/") ? String(dropLast()) : self
    }
}
