import CLibPQ
import Synchronization

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
    @usableFromInline let result: StatementResult
    let number: Int32

    /// The value of a column.
    /// - Throws: `DatabaseError` of kind `.decoding` if the column is missing, NULL, or of another type.
    // Inlined, because a generic function of another module looks up the metadata of its types at each call.
    @inlinable @inline(__always) package func get<T: SQLValue>(_ column: String, as type: T.Type = T.self) throws -> T {
        defer { extendLifetime(result) }
        guard let cell = try cell(column) else { throw DatabaseError.isNull(column) }
        do throws(SQLMismatch) { return try T(decoding: cell) } catch { throw DatabaseError.isMismatch(column, type) }
    }

    /// The value of a column that may be NULL.
    /// - Throws: `DatabaseError` of kind `.decoding` if the column is missing or of another type.
    @inlinable @inline(__always) package func get<T: SQLValue>(_ column: String, as _: T?.Type = T?.self) throws -> T? {
        defer { extendLifetime(result) }
        guard let cell = try cell(column) else { return nil }
        do throws(SQLMismatch) { return try T(decoding: cell) } catch { throw DatabaseError.isMismatch(column, T.self) }
    }

    /// The bytes of a column, or nil for NULL. The result owns them.
    @usableFromInline func cell(_ column: String) throws -> SQLCell? {
        guard let index = result.column(column) else { throw DatabaseError(.decoding, "is not in the result", column: column) }
        return result.cell(row: number, column: index)
    }
}

extension DatabaseError {
    @usableFromInline static func isNull(_ column: String) -> DatabaseError {
        DatabaseError(.decoding, "is NULL", column: column)
    }

    @usableFromInline static func isMismatch<T: SQLValue>(_ column: String, _: T.Type) -> DatabaseError {
        DatabaseError(.decoding, "does not contain a \(T.self) (\(T.sqlType.name))", column: column)
    }
}

/// A `PGresult`, freed with the last `Rows` or `Row` that refers to it.
///
/// Unchecked, because libpq never changes a complete result, and several threads may read it (PostgreSQL
/// documentation, 34.20 "Behavior in Threaded Programs").
@usableFromInline final class StatementResult: @unchecked Sendable {
    private let pointer: OpaquePointer
    /// The column after the last one that was found. Rows are mostly read in the order of their columns.
    private let expected = Atomic<Int32>(0)

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

    /// Returns the column with this name. No two columns of a result may have the same name. Only a debug build checks this. `PQfnumber` is not used, because it folds case and copies the name
    /// each time.
    func column(_ name: String) -> Int32? {
        let expected = expected.load(ordering: .relaxed)
        return name.withCString { name in
            func isNamed(_ column: Int32) -> Bool { strcmp(PQfname(pointer, column), name) == 0 }
            let count = PQnfields(pointer)
            guard let found = expected < count && isNamed(expected) ? expected : (0..<count).first(where: isNamed) else { return nil }
            assert((0..<count).count(where: isNamed) == 1, "two columns have the same name")
            self.expected.store(found + 1 < count ? found + 1 : 0, ordering: .relaxed)
            return found
        }
    }

    /// The bytes are valid as long as the result.
    func cell(row: Int32, column: Int32) -> SQLCell? {
        guard PQgetisnull(pointer, row, column) == 0 else { return nil }
        let bytes = UnsafeRawBufferPointer(
            start: PQgetvalue(pointer, row, column), count: Int(PQgetlength(pointer, row, column)))
        return SQLCell(type: PQftype(pointer, column), bytes: bytes)
    }
}
