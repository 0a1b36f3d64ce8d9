#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

import Apple
import Logging
import Mail
import Web

/// The number of files and connections that this process may open.
enum OpenFiles {
    /// Raises the limit as far as the system permits, up to `wanted`. Systems start a process with a low limit, often 1024.
    /// - Returns: The limit in effect.
    static func raise(to wanted: Int) -> Int {
        var limit = rlimit()
        guard getrlimit(.init(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return wanted }
        let asked = min(rlim_t(wanted), limit.rlim_max)
        if limit.rlim_cur < asked {
            var raised = limit
            raised.rlim_cur = asked
            if setrlimit(.init(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
        }
        return Int(min(limit.rlim_cur, rlim_t(Int32.max)))
    }
}

extension Settings {
    /// The files for everything except the connections of the public port. Each call to Apple, each connection to the database and each
    /// delivery has one, and so does each mail. The rest is for the operations port, listeners and logs.
    var reservedFiles: Int {
        apple.concurrency + databaseConnections.total + outboxConcurrency + (mail == nil ? 0 : MailSender.mostConnections) + 256
    }

    /// The fewest connections with which the server starts with a low limit of open files. A browser opens up to 6.
    private static let fewestConnections = 64

    /// Lowers the cap of connections to the number of files that the process may open. Over this limit, the process could not accept
    /// connections or reach its database.
    /// - Throws: `Settings.Refusal` if hardly any connection would be left.
    func fitting(openFiles: Int, logger: Logger) throws -> Settings {
        let most = openFiles - reservedFiles
        guard connections.total > most else { return self }
        guard most >= Self.fewestConnections else {
            throw Refusal(
                description: "The process may open only \(openFiles) files, and needs \(reservedFiles) of them for Apple, the database and "
                    + "deliveries. Raise the limit (ulimit -n), or lower ESPALIER_APPLE_CONCURRENCY, "
                    + "ESPALIER_OUTBOX_CONCURRENCY or the limits of database connections.")
        }
        logger.warning(
            """
            ESPALIER_CONNECTIONS_TOTAL exceeds the limit of open files; the cap is lowered. Raise the limit (ulimit -n), or lower \
            ESPALIER_APPLE_CONCURRENCY, ESPALIER_OUTBOX_CONCURRENCY or the limits of database connections.
            """,
            metadata: ["connections": "\(connections.total)", "open_files": "\(openFiles)", "cap": "\(most)"])
        var settings = self
        settings.connections.total = most
        return settings
    }
}
