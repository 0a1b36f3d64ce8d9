/// A batch whose statements depend on a condition or on data. Each statement gets its name when it is added:
/// ```swift
/// var batch = Statements()
/// if let relink { batch.append(relink) }
/// let saved = batch.append("INSERT … RETURNING id")
/// let results = try await db.run(batch)
/// let user = try results[saved].first(User.init)
/// ```
package struct Statements: Sendable {
    /// The name of a statement in its batch. It is opaque, so nobody can count statements instead.
    package struct Position: Sendable {
        fileprivate let batch: Identity
        fileprivate let index: Int
    }

    /// Distinguishes batches. A position of another batch would silently name another statement.
    fileprivate final class Identity: Sendable {}

    /// The rows of a batch, by statement.
    package struct Results: Sendable {
        private let batch: Identity
        private let rows: [Rows]

        init(_ rows: [Rows], of statements: Statements) {
            (batch, self.rows) = (statements.batch, rows)
        }

        /// - Precondition: The position is of the same batch.
        package subscript(position: Position) -> Rows {
            precondition(position.batch === batch, "the position is of another batch")
            return rows[position.index]
        }
    }

    private let batch = Identity()

    private(set) var list: [SQL]

    /// Starts a batch with statements whose results nobody reads.
    package init(_ statements: [SQL] = []) {
        list = statements
    }

    /// Adds a statement, which runs after all earlier ones.
    /// - Returns: The position of its rows in the results of this batch.
    @discardableResult
    package mutating func append(_ statement: SQL) -> Position {
        list.append(statement)
        return Position(batch: batch, index: list.count - 1)
    }

    /// Adds statements whose results nobody reads.
    package mutating func append(contentsOf statements: [SQL]) {
        list += statements
    }
}
