import Crypto

/// One step of the schema: a file `NNNN_name.sql`.
struct Migration: Sendable {
    var version: Int
    /// The file's name without `.sql`.
    var name: String
    var bytes: [UInt8]
    /// SHA-256 of the file, as `schema_migration` records it.
    var checksum: [UInt8]

    var file: String { name + ".sql" }

    /// - Throws: `MigrationError.badName`.
    init(file: String, bytes: [UInt8]) throws {
        let digits = file.prefix { $0.isASCII && $0.isNumber }
        guard digits.count == 4, let version = Int(digits), version > 0, file.dropFirst(4).first == "_", file.count > "0001_.sql".count
        else { throw MigrationError.badName(file: file) }
        (self.version, self.name, self.bytes) = (version, String(file.dropLast(4)), bytes)
        checksum = Array(SHA256.hash(data: bytes))
    }
}

/// The reason why migrations were rejected, and the next step. No part of the rejected migration was applied.
package enum MigrationError: Error, Equatable, CustomStringConvertible {
    case unreadableFolder(String)
    case badName(file: String)
    case duplicate(String, String)
    case gap(expected: Int, file: String)
    case edited(file: String)
    case missing(name: String)
    case endsTransaction(file: String)
    case failed(file: String, line: Int?, reason: String)

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
            "\(file)\(line.map { ", line \($0)" } ?? ""): \(reason)"
        }
    }
}
