import CLibPQ
import Foundation

/// What libpq is told to connect with: the caller's URL, and what the driver adds to it.
struct ConnectionParameters: Sendable {
    private var keywords: [String]
    private var values: [String]
    /// How long a batch of statements may be without its whole answer before the server counts as gone; nil for ever. The server's
    /// own limits do not hold when it is frozen.
    let answerLimit: Duration?

    /// - Parameters:
    ///   - url: a libpq URI or conninfo string, several hosts and `target_session_attrs` included.
    ///   - settings: server settings that hold from the first statement on, as they travel in the start-up message. Those of
    ///     the URL's own `options` win.
    ///   - answerLimit: see the property.
    /// - Throws: `DatabaseError` of kind `.misuse` for what libpq cannot parse.
    init(url: String, applicationName: String?, settings: [(name: String, value: String)], answerLimit: Duration? = nil) throws {
        self.answerLimit = answerLimit
        guard let parsed = PQconninfoParse(url, nil) else {
            // libpq's explanation quotes the URL, and with it perhaps a password.
            throw DatabaseError(.misuse, "the database URL is not one that libpq understands")
        }
        defer { PQconninfoFree(parsed) }
        var given: [String: String] = [:]
        var option = parsed
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { given[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        let options = settings.map { "-c \($0.name)=\($0.value)" } + (given["options"].map { [$0] } ?? [])
        let ours = [
            "options": options.joined(separator: " "),
            // Rows are UTF-8 whatever the environment of the process says.
            "client_encoding": "UTF8",
            // A host that is gone is noticed within a minute instead of two hours; libpq ignores these on Unix sockets.
            "connect_timeout": given["connect_timeout"] ?? "5",
            "keepalives_idle": given["keepalives_idle"] ?? "20",
            "keepalives_interval": given["keepalives_interval"] ?? "10",
            "keepalives_count": given["keepalives_count"] ?? "3",
            "tcp_user_timeout": given["tcp_user_timeout"] ?? "30000",
            "application_name": given["application_name"] ?? applicationName ?? "",
        ]
        // A `dbname` that is a URL is expanded by libpq; whatever comes after it overrides its parts.
        keywords = ["dbname"] + ours.keys
        values = [url] + ours.values
    }

    /// Connects, blocking the thread.
    func connect() -> sending OpaquePointer? {
        var keywords = keywords.map { UnsafePointer(strdup($0)) } + [nil]
        var values = values.map { UnsafePointer(strdup($0)) } + [nil]
        defer { for string in keywords + values { free(UnsafeMutablePointer(mutating: string)) } }
        return PQconnectdbParams(&keywords, &values, 1)
    }
}
