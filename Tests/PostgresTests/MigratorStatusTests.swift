import EmbeddedPostgres
import Foundation
import Postgres
import TestSupport
import Testing

@Suite("Migrator, status")
struct MigratorStatusTests {
    /// A probe of `/readyz` runs it every few seconds.
    @Test("the status reads no file again and sends no content of a migration to the database")
    func sendsNoContent() async throws {
        let folder = try TemporaryFolder()
        let cluster = EmbeddedPostgres(
            folder: folder.path + "/cluster",
            settings: TestCluster.careless.merging(["log_min_duration_statement": "0"]) { $1 }, isThrowAway: true)
        try await cluster.start()
        let url = await cluster.url(user: "postgres", database: "postgres")
        let pool = try TestDatabase.pool(url)
        let mark = "a mark in the text"
        try folder.write("0001_first.sql", "CREATE TABLE first (id int); -- \(mark)\n")
        let migrator = try Migrator(folder: folder.path)

        /// The statements and their values that the server has received.
        func log() throws -> String {
            try String(contentsOfFile: folder.path + "/cluster/postgres.log", encoding: .utf8)
        }
        try await migrator.migrate(url: url)
        let before = try log()
        #expect(before.contains(mark))
        // The files are read and their checksums calculated once, by `init`.
        try FileManager.default.removeItem(atPath: folder.path + "/0001_first.sql")
        #expect(try await migrator.status(of: pool) == .current)
        let status = try log().dropFirst(before.count)
        #expect(status.contains("FROM schema_migration"))
        // The log shows a value of type bytea in hexadecimal.
        let hexadecimal = mark.utf8.map { String($0, radix: 16) }.joined()
        #expect(!status.contains(mark) && !status.contains(hexadecimal), "\(status)")
        try await cluster.stop()
    }
}
