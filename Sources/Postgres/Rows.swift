import CLibPQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The rows of one statement, in the memory that libpq received. A row is decoded when it is read.
package struct Rows: Sendable, RandomAccessCollection {
    let result: StatementResult

    package var startIndex: Int { 0 }
    package var endIndex: Int { result.count }

    package subscript(position: Int) -> Row {
        precondition(indices.contains(position), "there is no row \(position)")
        return Row(result: result, number: Int32(position))
    }

    /// The number of rows that an INSERT, UPDATE, DELETE, MERGE, SELECT … changed or returned.
    package var affected: Int { result.affected }

    /// The first row, made into something, or nil: `run("…").first(Tenant.init)`.
    package func first<T>(_ make: (Row) throws -> T) rethrows -> T? {
        try isEmpty ? nil : make(self[0])
    }
}

/// One row of a result.
package struct Row: Sendable {
    let result: StatementResult
    let number: Int32

    /// The value of a column.
    /// - Throws: `DatabaseError` of kind `.decoding` if the column is missing, NULL, or of another type.
    package func get<T: SQLValue>(_ column: String, as type: T.Type = T.self) throws -> T {
        guard let value = try get(column, as: T?.self) else {
            throw DatabaseError(.decoding, "is NULL", column: column)
        }
        return value
    }

    /// The value of a column that may be NULL.
    /// - Throws: `DatabaseError` of kind `.decoding` if the column is missing or of another type.
    package func get<T: SQLValue>(_ column: String, as type: T?.Type = T?.self) throws -> T? {
        guard let index = result.column(column) else {
            throw DatabaseError(.decoding, "is not in the result", column: column)
        }
        do {
            return try result.withCell(row: number, column: index) { (cell) throws(SQLMismatch) in try T(decoding: cell) }
        } catch {
            throw DatabaseError(.decoding, "does not contain a \(T.self) (\(T.sqlType.name))", column: column)
        }
    }
}

/// A `PGresult`, freed with the last `Rows` or `Row` that refers to it.
///
/// Unchecked, because libpq never changes a complete result, and several threads may read it (PostgreSQL
/// documentation, 34.20 "Behavior in Threaded Programs").
final class StatementResult: @unchecked Sendable {
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        PQclear(pointer)
    }

    var count: Int { Int(PQntuples(pointer)) }

    var affected: Int {
        Int(String(cString: PQcmdTuples(pointer))) ?? 0
    }

    /// The command tag, such as `COMMIT` or `INSERT 0 1`.
    var tag: String { String(cString: PQcmdStatus(pointer)) }

    /// Returns the first column with this name. `PQfnumber` is not used, because it folds case and copies the name
    /// each time.
    func column(_ name: String) -> Int32? {
        name.withCString { name in
            (0..<PQnfields(pointer)).first { strcmp(PQfname(pointer, $0), name) == 0 }
        }
    }

    func withCell<T>(row: Int32, column: Int32, _ decode: (SQLCell) throws(SQLMismatch) -> T) throws(SQLMismatch) -> T? {
        guard PQgetisnull(pointer, row, column) == 0 else { return nil }
        let bytes = UnsafeRawBufferPointer(
            start: PQgetvalue(pointer, row, column), count: Int(PQgetlength(pointer, row, column)))
        return try decode(SQLCell(type: PQftype(pointer, column), bytes: bytes))
    }
}
