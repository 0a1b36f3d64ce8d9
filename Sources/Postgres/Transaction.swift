import CLibPQ

/// An open transaction, which runs statements. It ends when the body that received it returns.
package struct Transaction: Sendable {
    let state: OpenTransaction

    init(_ state: OpenTransaction) {
        self.state = state
    }

    /// Runs one statement.
    /// - Throws: `DatabaseError`. After an error of kind `.server`, the transaction can only end, unless the statements came
    ///   after a SAVEPOINT.
    package func run(_ sql: SQL) async throws -> Rows {
        try await state.run([sql])[0]
    }

    /// Runs several statements in one round trip. The statements after a rejected one are skipped.
    /// - Throws: The same errors as for one statement.
    package func run(_ statements: [SQL]) async throws -> [Rows] {
        try await state.run(statements)
    }
}

/// The state of a transaction.
@EventLoop
final class OpenTransaction {
    let connection: DatabaseSession
    /// BEGIN and its prelude, until they are sent with the first statement.
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

    /// Not cancellable, because after COMMIT is sent, only its answer shows whether it took effect.
    func commit() async throws {
        isOver = true
        guard opening == nil else { return }
        let answer = try await connection.run(["COMMIT"], isCancellable: false)[0]
        // PostgreSQL answers the COMMIT of a failed transaction with ROLLBACK and reports success.
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
            // Closing also ends the transaction.
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
