import Crypto

/// One step of the schema: a file `NNNN_name.sql`.
struct Migration: Sendable {
    /// How a migration takes effect.
    enum Mode: Sendable {
        /// All statements and the row in `schema_migration` are one transaction.
        case transaction
        /// One statement without a transaction, such as `CREATE INDEX CONCURRENTLY`. A failure in the middle leaves it pending, so it
        /// must be repeatable.
        case alone
    }

    /// The first line of a file whose mode is `alone`.
    static let noTransaction = "-- espalier: no transaction"

    var version: Int
    /// The file's name without `.sql`.
    var name: String
    var bytes: [UInt8]
    /// SHA-256 of the file, as `schema_migration` records it.
    var checksum: [UInt8]
    var mode: Mode

    var file: String { name + ".sql" }
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// - Throws: `MigrationError.badName`, `.unknownMark`, `.notConcurrent`.
    init(file: String, bytes: [UInt8]) throws {
        let digits = file.prefix { $0.isASCII && $0.isNumber }
        guard digits.count == 4, let version = Int(digits), version > 0, file.dropFirst(4).first == "_", file.count > "0001_.sql".count
        else { throw MigrationError.badName(file: file) }
        (self.version, self.name, self.bytes) = (version, String(file.dropLast(4)), bytes)
        checksum = Array(SHA256.hash(data: bytes))
        mode = try Self.mode(of: bytes, file: file)
    }

    private static func mode(of bytes: [UInt8], file: String) throws -> Mode {
        guard bytes.starts(with: "-- espalier:".utf8) else { return .transaction }
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines[0].elementsEqual(noTransaction.utf8) else { throw MigrationError.unknownMark(file: file) }
        let isConcurrent = lines.contains { line in
            !line.starts(with: "--".utf8)
                && line.split(whereSeparator: { !isLetter($0) }).contains { $0.elementsEqual("CONCURRENTLY".utf8) }
        }
        guard isConcurrent else { throw MigrationError.notConcurrent(file: file) }
        return .alone
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }
}
