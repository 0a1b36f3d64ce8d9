import CLibPQ
import Foundation

/// The parameters for libpq: the caller's URL, and the additions of the driver.
struct ConnectionParameters: Sendable {
    private var keywords: [String]
    private var values: [String]
    /// The servers of the URL, in order.
    let servers: [ServerAddress]
    /// The kind of server that the URL requires (`target_session_attrs`).
    let requiredKind: String
    /// Whether at most one of several servers accepts connections.
    var hasOnePrimary: Bool { servers.count > 1 && (requiredKind == "read-write" || requiredKind == "primary") }
    /// The longest time to connect to one address.
    let connectLimit: Duration
    /// The longest time without the whole answer to a batch of statements. Afterwards, the server counts as gone. Nil for no
    /// limit.
    ///
    /// The server's own limits have no effect when it is frozen.
    let answerLimit: Duration?
    /// The longest time in which COPY receives nothing. Nil for no limit.
    let progressLimit: Duration?
    /// The settings in the start-up message, except those of the URL.
    let settings: [(name: String, value: String)]

    /// - Parameters:
    ///   - url: A libpq URI or conninfo string. It may contain several hosts and `target_session_attrs`.
    ///   - settings: Server settings that apply from the first statement, because the start-up message contains them. The
    ///     URL's own `options` take precedence.
    ///   - answerLimit, progressLimit: See the properties.
    /// - Throws: `DatabaseError` of kind `.misuse` for a URL that libpq cannot parse, with an unknown connection service, or with lists of
    ///   different lengths.
    init(
        url: String, applicationName: String?, settings: [(name: String, value: String)], answerLimit: Duration? = nil,
        progressLimit: Duration? = nil
    ) throws {
        (self.settings, self.answerLimit, self.progressLimit) = (settings, answerLimit, progressLimit)
        guard let parsed = PQconninfoParse(url, nil) else {
            // libpq's message quotes the URL, which may contain a password.
            throw DatabaseError(.misuse, "libpq cannot parse the database URL")
        }
        let given = Self.values(consuming: parsed)
        // The / of a password that is not escaped makes its rest a part of the database name. Errors name hosts.
        let isURI = ["postgresql://", "postgres://"].contains { url.utf8.starts(with: $0.utf8) }
        guard !isURI || given["dbname"]?.utf8.contains(UInt8(ascii: "@")) != true else {
            throw DatabaseError(
                .misuse, "the database URL has a database name that contains @; write a / of the password as %2F, and an @ as %40")
        }
        let effective = try DatabaseServers.values(of: url)
        servers = try ServerAddress.list(hosts: effective["host"], addresses: effective["hostaddr"], ports: effective["port"])
        requiredKind = effective["target_session_attrs"] ?? "any"
        // As for libpq, zero or less means no limit, and one second counts as two.
        let seconds = effective["connect_timeout"].flatMap { Int($0) } ?? 5
        connectLimit = .seconds(seconds > 0 ? max(seconds, 2) : 86400)
        let options = settings.map { "-c \($0.name)=\($0.value)" } + (given["options"].map { [$0] } ?? [])
        let ours = [
            "options": options.joined(separator: " "),
            // Rows are UTF-8, regardless of the environment of the process.
            "client_encoding": "UTF8",
            // A lost host is detected within a minute instead of 2 hours. libpq ignores these settings for Unix
            // sockets.
            "keepalives_idle": given["keepalives_idle"] ?? "20",
            "keepalives_interval": given["keepalives_interval"] ?? "10",
            "keepalives_count": given["keepalives_count"] ?? "3",
            "tcp_user_timeout": given["tcp_user_timeout"] ?? "30000",
            // The look-up of a Kerberos server would block the loop.
            "gssencmode": given["gssencmode"] ?? "disable",
            "application_name": given["application_name"] ?? applicationName ?? "",
        ]
        // libpq expands a `dbname` that is a URL. The keywords after it override its parts.
        keywords = ["dbname"] + ours.keys
        values = [url] + ours.values
    }

    private static func values(consuming options: UnsafeMutablePointer<PQconninfoOption>) -> [String: String] {
        defer { PQconninfoFree(options) }
        var values: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val, value.pointee != 0 { values[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        return values
    }

    /// Starts to connect to one server. Nothing blocks if the server has an address or a socket.
    func start(_ server: ServerAddress, kind: String) -> OpaquePointer? {
        let all = self.keywords + ["host", "hostaddr", "port", "target_session_attrs"]
        var keywords = all.map { UnsafePointer(strdup($0)) } + [nil]
        var values =
            (self.values + [server.host, server.address, server.port, kind]).map { UnsafePointer(strdup($0)) } + [nil]
        defer { for string in keywords + values { free(UnsafeMutablePointer(mutating: string)) } }
        return PQconnectStartParams(&keywords, &values, 1)
    }
}
