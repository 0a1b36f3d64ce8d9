import CLibPQ

// The functions that libpq supports only outside of pipeline mode: COPY, and scripts of several statements.

extension DatabaseSession {
    /// Leaves pipeline mode for a while. No statement may be in progress.
    private func leavePipeline() throws {
        if let failure { throw failure }
        guard PQexitPipelineMode(link) == 1 else {
            throw DatabaseError(.misuse, "statements are still in progress")
        }
        isDirect = true
    }

    private func enterPipeline() throws {
        guard failure == nil else { return }
        guard PQenterPipelineMode(link) == 1 else {
            close(DatabaseError(.connection, "the connection could not continue"))
            throw failure!
        }
        isDirect = false
        watch?.wantsToRead = true
    }

    /// Waits until the socket has data to read, or room for data to send.
    private func socket() async throws {
        await waitDirectly()
        if let failure { throw failure }
        try consumeInput()
    }

    /// Reads what has arrived, without a wait.
    private func consumeInput() throws {
        guard PQconsumeInput(link) == 1 else {
            // libpq has closed the socket, whose number another connection may get.
            close(DatabaseError(.connection, "the connection was lost"))
            throw failure!
        }
    }

    private func sendDirectly(_ text: String) throws {
        guard PQsendQuery(link, text) == 1, PQflush(link) >= 0 else {
            close(DatabaseError(.connection, "the statement could not be sent"))
            throw failure!
        }
    }

    private func nextResult() async throws -> OpaquePointer? {
        while true {
            if let failure { throw failure }
            guard PQisBusy(link) == 1 else { break }
            watch?.wantsToWrite = PQflush(link) == 1
            try await socket()
        }
        watch?.wantsToWrite = false
        return PQgetResult(link)
    }

    /// Reads the remaining answers to a direct statement, and remembers the first error.
    private func finishDirectly(_ first: DatabaseError? = nil) async throws {
        var error = first
        do {
            while let result = try await nextResult() {
                if PQresultStatus(result) == PGRES_FATAL_ERROR { error = error ?? DatabaseError(result: result) }
                PQclear(result)
            }
            try enterPipeline()
        } catch let lost {
            // A server that ends the session names the reason first.
            throw error ?? lost
        }
        if let error { throw error }
    }

    /// Runs a text of several statements, such as a migration.
    func script(_ text: String) async throws {
        try leavePipeline()
        try sendDirectly(text)
        try await finishDirectly()
    }

    /// Returns the first column of the first row, as text. It leaves no prepared statement behind.
    func text(of query: String) async throws -> String? {
        try leavePipeline()
        try sendDirectly(query)
        guard let result = try await nextResult() else {
            close(DatabaseError(.connection, "the server did not answer"))
            throw failure!
        }
        let error = PQresultStatus(result) == PGRES_TUPLES_OK ? nil : DatabaseError(result: result)
        let text = error == nil && PQntuples(result) > 0 ? String(cString: PQgetvalue(result, 0, 0)) : nil
        PQclear(result)
        try await finishDirectly(error)
        return text
    }

    // MARK: COPY

    func beginCopy(_ text: String) async throws {
        try leavePipeline()
        try sendDirectly(text)
        guard let result = try await nextResult() else {
            return close(DatabaseError(.connection, "the server did not answer"))
        }
        defer { PQclear(result) }
        switch PQresultStatus(result) {
        case PGRES_COPY_OUT:
            return
        case PGRES_FATAL_ERROR:
            try await finishDirectly(DatabaseError(result: result))
        default:
            // The statement has run. It may be a COPY from this side, which would wait indefinitely.
            close(DatabaseError(.misuse, "copyOut accepts only COPY … TO STDOUT"))
            throw failure!
        }
    }

    /// How long rows may gather in the socket. The server sends 8 KiB at a time. Without the pause, each part would wake this thread and
    /// the reader, and large copies would take the processors from everything else.
    private static let gathering = Duration.milliseconds(1)

    /// Returns the next whole rows as the server sent them: at least `size` bytes, or fewer at the end or before an error. Nil after the
    /// last row; the session is then in pipeline mode again.
    func copiedRows(atLeast size: Int) async throws -> [UInt8]? {
        var rows: [UInt8] = []
        // One read may leave data in the socket, because libpq reads up to 16 KiB at a time.
        var mayHaveMore = true
        while rows.isEmpty || rows.count < size {
            if let failure {
                // The next call throws it.
                guard rows.isEmpty else { return rows }
                throw failure
            }
            var buffer: UnsafeMutablePointer<CChar>?
            switch PQgetCopyData(link, &buffer, 1) {
            case 0:
                do {
                    if mayHaveMore {
                        try consumeInput()
                    } else {
                        if !rows.isEmpty { await pause(Self.gathering) }
                        try await socket()
                    }
                } catch {
                    // The next call throws the error.
                    guard rows.isEmpty else { return rows }
                    throw error
                }
                mayHaveMore.toggle()
            case let length where length > 0:
                defer { PQfreemem(buffer) }
                mayHaveMore = true
                rows.append(contentsOf: UnsafeRawBufferPointer(start: buffer, count: Int(length)))
            default:
                // At the next call, libpq reports again that nothing is left.
                guard rows.isEmpty else { return rows }
                try await finishDirectly()
                return nil
            }
        }
        return rows
    }

    private func pause(_ duration: Duration) async {
        let over = Promise<Void>()
        _ = EventLoop.after(duration) { over.fulfill() }
        await over.wait()
    }
}
