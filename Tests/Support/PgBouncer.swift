import EmbeddedPostgres
import Foundation

/// PgBouncer in front of the cluster of a test, on a port of loopback. It ends with its value.
package final class PgBouncer: Sendable {
    package enum Mode: String, Sendable {
        case session, transaction, statement
    }

    private let folder: TemporaryFolder
    private let program: Program
    private let port: Int

    /// - Parameters:
    ///   - url: The URL of a database of the cluster.
    ///   - settings: Further lines of its configuration.
    package init(to url: String, mode: Mode, settings: [String] = ["ignore_startup_parameters = options"]) async throws {
        guard let socket = URLComponents(string: url)?.queryItems?.first(where: { $0.name == "host" })?.value else {
            throw CocoaError(.formatting)
        }
        (folder, port) = (try TemporaryFolder(), FreePorts.take())
        let users = try folder.write("users", ["postgres", "espalier", "espalier_server"].map { "\"\($0)\" \"\"\n" }.joined())
        let configuration = try folder.write(
            "pgbouncer.ini",
            """
            [databases]
            * = host=\(socket)
            [pgbouncer]
            listen_addr = 127.0.0.1
            listen_port = \(port)
            unix_socket_dir =
            auth_type = trust
            auth_file = \(users)
            pool_mode = \(mode.rawValue)
            \(settings.joined(separator: "\n"))

            """)
        for file in [users, configuration] { try ServerAccount.current.own(file) }
        // It refuses to run as root.
        let command = try await ServerAccount.current.command("/usr/sbin/pgbouncer", [configuration], in: folder.path)
        program = try await Program.start(command, of: URL(filePath: "/usr/bin/env"))
        try await eventually("PgBouncer accepts connections; install it with script/bootstrap") { [port] in FreePorts.isListening(port) }
    }

    /// The URL of a database behind it.
    package func url(_ direct: String) -> String {
        guard let parts = URLComponents(string: direct) else { return direct }
        return "postgresql://\(parts.percentEncodedUser ?? "")@127.0.0.1:\(port)\(parts.percentEncodedPath)"
    }

    /// Ends it, and with it all connections.
    package func stop() async throws {
        program.signal(SIGTERM)
        _ = try await program.exit()
    }
}
