import CLibPQ
import Foundation

/// The parameters for libpq: the caller's URL, and the additions of the driver.
struct ConnectionParameters: Sendable {
    private var keywords: [String]
    private var values: [String]
    /// The longest time without the whole answer to a batch of statements. Afterwards, the server counts as gone. Nil for no
    /// limit.
    ///
    /// The server's own limits have no effect when it is frozen.
    let answerLimit: Duration?

    /// - Parameters:
    ///   - url: A libpq URI or conninfo string. It may contain several hosts and `target_session_attrs`.
    ///   - settings: Server settings that apply from the first statement, because the start-up message contains them. The
    ///     URL's own `options` take precedence.
    ///   - answerLimit: See the property.
    /// - Throws: `DatabaseError` of kind `.misuse` for a URL that libpq cannot parse.
    init(url: String, applicationName: String?, settings: [(name: String, value: String)], answerLimit: Duration? = nil) throws {
        self.answerLimit = answerLimit
        guard let parsed = PQconninfoParse(url, nil) else {
            // libpq's message quotes the URL, which may contain a password.
            throw DatabaseError(.misuse, "libpq cannot parse the database URL")
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
            // Rows are UTF-8, regardless of the environment of the process.
            "client_encoding": "UTF8",
            // A lost host is detected within a minute instead of 2 hours. libpq ignores these settings for Unix
            // sockets.
            "connect_timeout": given["connect_timeout"] ?? "5",
            "keepalives_idle": given["keepalives_idle"] ?? "20",
            "keepalives_interval": given["keepalives_interval"] ?? "10",
            "keepalives_count": given["keepalives_count"] ?? "3",
            "tcp_user_timeout": given["tcp_user_timeout"] ?? "30000",
            "application_name": given["application_name"] ?? applicationName ?? "",
        ]
        // libpq expands a `dbname` that is a URL. The keywords after it override its parts.
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
