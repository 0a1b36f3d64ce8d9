import EmbeddedPostgres
import Foundation
import Postgres
import TestSupport
import Testing

/// With `sslmode=verify-full`, the driver connects only to the server that the URL names.
@Suite("TLS to PostgreSQL")
struct TLSTests {
    private static let host = "db.test"
    private let empty: TemporaryFolder

    init() throws {
        empty = try TemporaryFolder()
    }

    /// Starts a server on a port of loopback.
    private static func serve(_ settings: [String: String]) async throws -> (cluster: EmbeddedPostgres, port: Int) {
        let port = FreePorts.take()
        let cluster = try await TestCluster.own(
            settings: TestCluster.careless.merging(settings) { $1 }.merging(["listen_addresses": "127.0.0.1", "port": "\(port)"]) { $1 })
        return (cluster, port)
    }

    private static func url(_ host: String, port: Int, authority: CertificateAuthority, mode: String = "verify-full") -> String {
        "postgresql://postgres@\(host):\(port)/postgres?hostaddr=127.0.0.1&sslmode=\(mode)&sslrootcert=\(authority.certificate)"
    }

    /// Connects once.
    private func connect(_ url: String) async throws {
        try await Migrator(folder: empty.path).migrate(url: url)
    }

    @Test("a server with a certificate of the authority for the host is accepted, and no other one")
    func verified() async throws {
        let (authority, stranger) = (try await CertificateAuthority(), try await CertificateAuthority())
        let (certificate, key) = try await authority.sign(Self.host)
        try ServerAccount.current.own(key)
        try ServerAccount.current.own(certificate)
        let (cluster, port) = try await Self.serve(["ssl": "on", "ssl_cert_file": certificate, "ssl_key_file": key])
        let url = Self.url(Self.host, port: port, authority: authority)
        try await connect(url)
        #expect(try await TestDatabase.pool(url).run("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")[0].get("ssl"))

        let otherName = await databaseError { try await connect(Self.url("other.test", port: port, authority: authority)) }
        #expect(otherName?.kind == .connection)
        #expect(otherName?.message?.contains(#"does not match host name "other.test""#) == true, "\(otherName?.message ?? "")")

        let otherAuthority = await databaseError { try await connect(Self.url(Self.host, port: port, authority: stranger)) }
        #expect(otherAuthority?.kind == .connection)
        #expect(otherAuthority?.message?.contains("certificate verify failed") == true, "\(otherAuthority?.message ?? "")")
        try await cluster.stop()
    }

    @Test("a server without TLS is rejected, although libpq's default accepts it")
    func plainText() async throws {
        let authority = try await CertificateAuthority()
        let (cluster, port) = try await Self.serve([:])
        let error = await databaseError { try await connect(Self.url(Self.host, port: port, authority: authority)) }
        #expect(error?.kind == .connection)
        #expect(error?.message?.contains("server does not support SSL") == true, "\(error?.message ?? "")")
        try await connect(Self.url(Self.host, port: port, authority: authority, mode: "prefer"))
        try await cluster.stop()
    }
}
