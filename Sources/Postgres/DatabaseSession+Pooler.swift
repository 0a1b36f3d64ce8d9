import CLibPQ

/// A pooler, such as PgBouncer, between the driver and PostgreSQL.
extension DatabaseSession {
    /// The process of the server that runs this session's statements now.
    func serverProcess() async throws -> Int32? {
        try await text(of: "SELECT pg_backend_pid()").flatMap { Int32($0) }
    }

    /// Whether the other side is a pooler. A pooler invents the process ID of its greeting, because it chooses the server's process later.
    func isPooled() async throws -> Bool {
        try await serverProcess() != process
    }

    /// Identifies the server, if there are several. Behind a pooler, sets the settings of the start-up message again, because a pooler ignores
    /// them or gives the session to a process that is already running. An error closes the session.
    func identify(_ parameters: ConnectionParameters) async throws {
        guard !parameters.settings.isEmpty || parameters.hasOnePrimary else { return }
        try await limited {
            // As a number, because the text of a time depends on settings.
            let answer = try await text(of: "SELECT pg_backend_pid() || ' ' || extract(epoch FROM pg_postmaster_start_time())")
            let parts = (answer ?? "").utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
            if parameters.hasOnePrimary { startOfServer = parts.last }
            guard parts.first != "\(process)" else { return }
            _ = try await run(parameters.settings.map { "SELECT set_config(\($0.name), \($0.value), false)" })
        }
    }

    /// Closes the session after an error, or if the body takes longer than 10 s: the server is frozen, or the pooler has no session left.
    func limited<R>(_ body: @EventLoop () async throws -> R) async throws -> R {
        let timer = EventLoop.after(.seconds(10)) { self.close(DatabaseError(.connection, "the server did not answer in time")) }
        defer { timer.cancel() }
        do {
            return try await body()
        } catch {
            close()
            throw error
        }
    }
}
