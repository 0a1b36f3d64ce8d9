import Foundation
import Fuzzing
@testable import Postgres

extension FuzzTarget {
    static let postgres: [FuzzTarget] = [
        // The first byte is the type. The bytes of the server follow.
        FuzzTarget(
            "sql-value",
            bytes: [[0, 0, 0, 0, 7], [1, 1], [5] + [UInt8](repeating: 9, count: 16), [6, 128, 0, 0, 0, 0, 0, 0, 1], [7, 1, 123, 125]]
        ) { bytes in
            guard let first = bytes.first else { return }
            let types: [SQLType] = [.int4, .bool, .text, .int8, .float8, .uuid, .timestamptz, .jsonb, .json, .int2, .float4, .bytea]
            let type = types[Int(first) % types.count]
            try Array(bytes.dropFirst()).withUnsafeBytes { buffer in
                let cell = SQLCell(type: type.oid, bytes: buffer)
                try readBack(Int16.self, cell)
                try readBack(Int.self, cell)
                try readBack(Bool.self, cell)
                try readBack(String.self, cell)
                try readBack(UUID.self, cell)
                try readBack(JSON.self, cell)
                try readBack([UInt8].self, cell)
                // Not compared bit by bit: a NaN, and a microsecond in the year 200,000.
                _ = (try? Double(decoding: cell), try? Date(decoding: cell))
            }
        },
        FuzzTarget(
            "sql-array",
            bytes: [
                [0] + encoded([1, 2, 3]), [1] + encoded(["a", "é", ""]), [2] + encoded([[1, 2], []] as [[UInt8]]),
                [3] + encoded([UUID.platformLike]),
                [0] + encoded([Int]()), [0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 20, 255, 255, 255, 255, 0, 0, 0, 1],
            ]
        ) { bytes in
            guard let first = bytes.first else { return }
            try Array(bytes.dropFirst()).withUnsafeBytes { buffer in
                switch first % 4 {
                case 0: try readBack([Int].self, SQLCell(type: SQLType.int8.array, bytes: buffer))
                case 1: try readBack([String].self, SQLCell(type: SQLType.text.array, bytes: buffer))
                case 2: try readBack([[UInt8]].self, SQLCell(type: SQLType.bytea.array, bytes: buffer))
                default: try readBack([UUID].self, SQLCell(type: SQLType.uuid.array, bytes: buffer))
                }
            }
        },
        FuzzTarget(
            text: "database-url",
            seeds: [
                "postgres://user:secret@a,b:5433/name?target_session_attrs=read-write&options=-c%20x%3D1", "host=/tmp dbname=x",
                "postgres://%",
                "host='", "",
            ]
        ) { text in
            // An error that repeats a part of the URL would show its password. So there is one text for each reason, apart from counts.
            guard let refusal = refusal(ofURL: text) else { return }
            let known = ["postgres://%", "host=a,b port=1,2,3", "postgres://u@a@b/d", "postgres://u@a:x/d", "postgres://u@a/d@b"]
                .compactMap(FuzzTarget.refusal(ofURL:)).map(FuzzTarget.withoutDigits)
            try hold(known.contains(FuzzTarget.withoutDigits(refusal)), "the error shows the URL")
        },
        FuzzTarget(text: "migration-name", seeds: ["0001_tenant.sql", "0000_x.sql", "001_x.sql", "0001_", "０００１_x.sql"]) { text in
            guard let migration = try? Migration(file: text, bytes: []) else { return }
            try hold((1...9999).contains(migration.version) && migration.name.count > 5, "\(text) passed")
        },
    ]

    private static func refusal(ofURL url: String) -> String? {
        do {
            _ = try ConnectionParameters(url: url, applicationName: "fuzz", settings: [("a", "b")])
            return nil
        } catch {
            return "\(error)"
        }
    }

    private static func withoutDigits(_ text: String) -> [UInt8] {
        text.utf8.filter { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// A value that can be read is written in a form that reads back as the same value.
    private static func readBack<Value: SQLValue & Equatable>(_: Value.Type, _ cell: SQLCell) throws {
        guard let value = try? Value(decoding: cell) else { return }
        try encoded(value).withUnsafeBytes { buffer in
            let again = try? Value(decoding: SQLCell(type: Value.sqlType.oid, bytes: buffer))
            try hold(again == value, "the written \(value) reads back as \(again.map { "\($0)" } ?? "nothing")")
        }
    }

    private static func encoded(_ value: some SQLValue) -> [UInt8] {
        var bytes: [UInt8] = []
        value.encode(into: &bytes)
        return bytes
    }
}

extension UUID {
    fileprivate static let platformLike = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
}
