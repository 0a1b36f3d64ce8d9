import CLibPQ

/// An open transaction: what statements run on. It is over when the body it was handed to returns.
package struct Transaction: Sendable {
    let state: OpenTransaction

    init(_ state: OpenTransaction) {
        self.state = state
    }

    /// Runs one statement.
    /// - Throws: `DatabaseError`; after one of kind `.server` nothing but the end of the transaction is possible, unless the
    ///   statements stood behind a SAVEPOINT.
    package func run(_ sql: SQL) async throws -> Rows {
        try await state.run([sql])[0]
    }

    /// Runs several statements in one round trip; those behind a refused one are skipped.
    /// - Throws: as for one.
    package func run(_ statements: [SQL]) async throws -> [Rows] {
        try await state.run(statements)
    }
}

/// What a transaction has done so far.
@EventLoop
final class OpenTransaction {
    let connection: DatabaseSession
    /// BEGIN and what goes with it, until the first statement takes it along.
    private var opening: [SQL]?
    private var isOver = false

    init(connection: DatabaseSession, opening: [SQL]) {
        (self.connection, self.opening) = (connection, opening)
    }

    func run(_ statements: [SQL]) async throws -> [Rows] {
        guard !isOver else { throw DatabaseError(.misuse, "the transaction is over") }
        guard let opening else { return try await connection.run(statements) }
        try Task.checkCancellation()
        self.opening = nil
        return try await connection.run(opening + statements, prelude: opening.count)
    }

    /// Not cancellable: once COMMIT is sent, only its answer says whether it happened.
    func commit() async throws {
        isOver = true
        guard opening == nil else { return }
        let answer = try await connection.run(["COMMIT"], isCancellable: false)[0]
        // PostgreSQL answers the COMMIT of a failed transaction with ROLLBACK, and calls it a success.
        guard answer.result.tag == "COMMIT" else {
            throw DatabaseError(.server, "a statement of the transaction had failed, so it was rolled back", sqlState: "25P02")
        }
    }

    func rollBack() async {
        isOver = true
        switch connection.transactionStatus {
        case PQTRANS_IDLE, PQTRANS_UNKNOWN: return
        default: break
        }
        do {
            _ = try await connection.run(["ROLLBACK"], isCancellable: false)
        } catch {
            // Closing ends the transaction as well.
            connection.close()
        }
    }
}

extension DatabaseSessions {
    func run(_ statements: [SQL], prelude: Int) async throws -> [Rows] {
        let connection = try await lend()
        defer { giveBack(connection) }
        return try await connection.run(statements, prelude: prelude)
    }

    func begin(_ opening: [SQL]) async throws -> OpenTransaction {
        OpenTransaction(connection: try await lend(), opening: opening)
    }

    func end(_ transaction: OpenTransaction) {
        giveBack(transaction.connection)
    }
}
