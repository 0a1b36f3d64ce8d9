import CLibPQ

/// An open transaction, which runs statements. It ends when the body that received it returns.
package struct Transaction: StatementRunner {
    let state: OpenTransaction

    init(_ state: OpenTransaction) {
        self.state = state
    }

    /// Runs statements in one round trip. The statements after a rejected one are skipped.
    /// - Throws: `DatabaseError`. After an error of kind `.server`, the transaction can only end, unless the statements came
    ///   after a SAVEPOINT.
    package func run(_ statements: [SQL]) async throws -> [Rows] {
        try await state.run(statements)
    }

    /// Runs statements with another `statement_timeout` than the pool's, which then applies until the end of the transaction.
    /// - Throws: The errors of `run`. A statement that takes longer fails with SQLSTATE 57014.
    package func run(_ statements: SQL..., upTo limit: Duration) async throws -> [Rows] {
        try await state.run(statements, upTo: limit)
    }
}

/// The state of a transaction.
@EventLoop
final class OpenTransaction {
    let session: DatabaseSession
    private let loan: Int
    private var isOver: Bool { session.loan != loan }
    private var isCommitting = false

    /// - Parameter opening: BEGIN and its prelude, which are sent with the first statement.
    init(session: DatabaseSession, opening: [SQL]) {
        (self.session, loan) = (session, session.loan)
        session.opening = opening
    }

    func run(_ statements: [SQL], upTo limit: Duration) async throws -> [Rows] {
        // The session of a transaction that is over may belong to another caller.
        guard !isOver else { return try await run(statements) }
        // Otherwise, the session would be given up after the pool's limit.
        session.longestStatement = limit
        let setting: SQL = "SELECT set_config('statement_timeout', \(limit.inMilliseconds), true)"
        return Array(try await run([setting] + statements).dropFirst())
    }

    func run(_ statements: [SQL]) async throws -> [Rows] {
        guard !isOver else { throw DatabaseError(.misuse, "the transaction is over") }
        return try await session.run(statements, isCancellable: true, of: loan)
    }

    /// Not cancellable, because after COMMIT is sent, only its answer shows whether it took effect.
    func commit() async throws {
        session.endLoan()
        // Nothing was sent.
        guard session.opening.isEmpty else { return }
        isCommitting = true
        let answer = try await session.run(["COMMIT"], isCancellable: false)[0]
        // PostgreSQL answers the COMMIT of a failed transaction with ROLLBACK and reports success.
        guard answer.result.tag == "COMMIT" else {
            throw DatabaseError(.server, "a statement of the transaction had failed, so it was rolled back", sqlState: "25P02")
        }
    }

    /// The same error, with the knowledge that nothing took effect if COMMIT was not sent and the connection is lost.
    func judged(_ error: any Error) -> any Error {
        // With a SQLSTATE, the server has ended the session for a reason that a repetition would meet again, such as a transaction that is
        // open for too long (25P03).
        guard !isCommitting, session.failure != nil, var error = error as? DatabaseError, error.kind == .connection, error.sqlState == nil
        else { return error }
        error.mayRetry = true
        return error
    }

    func rollBack() async {
        session.endLoan()
        session.opening = []
        switch session.transactionStatus {
        case PQTRANS_IDLE, PQTRANS_UNKNOWN: return
        default: break
        }
        do {
            _ = try await session.run(["ROLLBACK"], isCancellable: false)
        } catch {
            // Closing also ends the transaction.
            session.close()
        }
    }
}

extension DatabaseSessions {
    /// Runs `body` in a transaction, once.
    /// - Parameter opening: The statements that begin the transaction.
    func transaction<R: Sendable>(
        _ opening: [SQL], until deadline: ContinuousClock.Instant, _ body: @Sendable (Transaction) async throws -> R
    ) async throws -> R {
        let session = try await lend(until: deadline)
        defer { giveBack(session) }
        let state = OpenTransaction(session: session, opening: opening)
        do {
            let result = try await body(Transaction(state))
            try Task.checkCancellation()
            try await state.commit()
            return result
        } catch {
            await state.rollBack()
            throw state.judged(error)
        }
    }
}
