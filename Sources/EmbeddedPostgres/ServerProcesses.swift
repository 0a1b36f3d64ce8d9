import Foundation

/// The processes of a PostgreSQL server, found by their working folder. A process ID in `postmaster.pid` may be stale
/// and now belong to another process.
enum ServerProcesses {
    static func of(data: String) -> [pid_t] {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return processes.compactMap { pid_t($0) }.filter { runs($0, in: data) }
    }

    /// The process that `postmaster.pid` names, if it is a server of this folder.
    static func postmaster(of data: String) -> pid_t? {
        guard let text = try? String(contentsOfFile: data + "/postmaster.pid", encoding: .utf8),
            let process = text.split(separator: "\n").first.flatMap({ pid_t($0) }), runs(process, in: data)
        else { return nil }
        return process
    }

    /// Kills all processes of the server that run now.
    static func kill(in data: String) {
        for process in of(data: data) { _ = Foundation.kill(process, SIGKILL) }
    }

    /// Waits until no process of the server is left. Only then are its shared memory and the folder free.
    /// - Throws: `.serverDoesNotStop` after 30 s.
    static func waitForEnd(of data: String) async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while !of(data: data).isEmpty {
            guard ContinuousClock.now < deadline else { throw EmbeddedPostgresError.serverDoesNotStop(data: data) }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    private static func runs(_ process: pid_t, in data: String) -> Bool {
        let folder = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/cwd")
        return folder == data || folder == URL(filePath: data).resolvingSymlinksInPath().path(percentEncoded: false)
    }
}
