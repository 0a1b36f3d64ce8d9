/// Runs statements: a pool, a transaction, or a database with the permissions of one owner.
///
/// A fixed batch returns a tuple, so that each result has a name:
/// `let (webhook, deliveries) = try await db.run(Webhook.find(id), WebhookDelivery.page(of: id))`. A batch whose length varies is a value
/// of `Statements`.
package protocol StatementRunner: Sendable {
    /// Runs a list of statements in one round trip. Read the results as a list, or discard them.
    /// - Throws: `DatabaseError`, `CancellationError`.
    func run(_ statements: [SQL]) async throws -> [Rows]
}

extension StatementRunner {
    /// Runs one statement.
    package func run(_ statement: SQL) async throws -> Rows {
        try await run([statement])[0]
    }

    /// Runs two statements in one round trip.
    package func run(_ first: SQL, _ second: SQL) async throws -> (Rows, Rows) {
        let rows = try await run([first, second])
        return (rows[0], rows[1])
    }

    /// Runs three statements in one round trip.
    package func run(_ first: SQL, _ second: SQL, _ third: SQL) async throws -> (Rows, Rows, Rows) {
        let rows = try await run([first, second, third])
        return (rows[0], rows[1], rows[2])
    }

    /// Runs four statements in one round trip.
    package func run(_ first: SQL, _ second: SQL, _ third: SQL, _ fourth: SQL) async throws -> (Rows, Rows, Rows, Rows) {
        let rows = try await run([first, second, third, fourth])
        return (rows[0], rows[1], rows[2], rows[3])
    }

    /// Runs five statements in one round trip.
    package func run(
        _ first: SQL, _ second: SQL, _ third: SQL, _ fourth: SQL, _ fifth: SQL
    ) async throws -> (Rows, Rows, Rows, Rows, Rows) {
        let rows = try await run([first, second, third, fourth, fifth])
        return (rows[0], rows[1], rows[2], rows[3], rows[4])
    }

    /// Runs a batch in one round trip.
    package func run(_ batch: Statements) async throws -> Statements.Results {
        Statements.Results(try await run(batch.list), of: batch)
    }
}
