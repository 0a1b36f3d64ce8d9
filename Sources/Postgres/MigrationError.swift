/// The reason why migrations were rejected, and the next step. No part of a migration with a transaction was applied.
package enum MigrationError: Error, Equatable, CustomStringConvertible {
    case unreadableFolder(String)
    case badName(file: String)
    case duplicate(String, String)
    case gap(expected: Int, file: String)
    case edited(file: String)
    case missing(name: String)
    case endsTransaction(file: String)
    case failed(file: String, line: Int?, reason: String)
    /// Others held the locks during all attempts. `holders` lists them, if they were found.
    case locked(file: String, attempts: Int, holders: [String])
    case unknownMark(file: String)
    case notConcurrent(file: String)
    case severalStatements(file: String)
    /// A statement with CONCURRENTLY failed before, or is still running.
    case invalidIndexes([String], file: String)
    /// This run of a statement with CONCURRENTLY failed and left these indexes.
    case leftInvalidIndexes([String], file: String, reason: String)

    package var description: String {
        switch self {
        case .unreadableFolder(let folder):
            "The migrations' folder \(folder) is not readable. Check its path and permissions."
        case .badName(let file):
            "\(file) is not named NNNN_name.sql (4 digits, from 0001). Rename it."
        case .duplicate(let first, let second):
            "\(first) and \(second) have the same number. Give the next free number to the one that was not applied anywhere."
        case .gap(let expected, let file):
            "\(file) is in the place of number \(expected). Restore the missing file, or renumber this one."
        case .edited(let file):
            "\(file) was changed after it was applied. Restore the original file, and put the change into a new migration."
        case .missing(let name):
            "\(name).sql was applied to this database and is missing here. Restore it, or run the version that has it."
        case .endsTransaction(let file):
            "\(file) ends its transaction. Remove its BEGIN, COMMIT or ROLLBACK."
        case .failed(let file, let line, let reason):
            "\(file)\(line.map { ", line \($0)" } ?? ""): \(reason). Fix the cause and migrate again."
        case .locked(let file, let attempts, let holders):
            "\(file) did not get its locks in \(attempts) attempts, and was rolled back. "
                + (holders.isEmpty ? "Other transactions hold the locks." : holders.joined(separator: " "))
                + " Wait until these transactions end, or end them as a superuser or a member of pg_signal_backend: "
                + "SELECT pg_terminate_backend(PROCESS). Then migrate again."
        case .unknownMark(let file):
            "\(file) has an unknown first line. After `-- espalier:`, only `no transaction` is allowed."
        case .notConcurrent(let file):
            "\(file) has the first line `\(Migration.noTransaction)`, but its statement is not CONCURRENTLY. Remove the line."
        case .severalStatements(let file):
            "\(file) has several statements and the first line `\(Migration.noTransaction)`. Put each statement into its own file."
        case .invalidIndexes(let indexes, let file):
            "\(file) was not applied, because these indexes are invalid: \(indexes.joined(separator: ", ")). Either a statement with "
                + "CONCURRENTLY still builds them, or it failed. Wait until it ends, or drop them: \(Self.drop(indexes)) Then migrate again."
        case .leftInvalidIndexes(let indexes, let file, let reason):
            "\(file): \(reason). It left invalid indexes. Fix the cause and drop them: \(Self.drop(indexes)) Then migrate again."
        }
    }

    private static func drop(_ indexes: [String]) -> String {
        indexes.map { "DROP INDEX CONCURRENTLY \($0);" }.joined(separator: " ")
    }
}
