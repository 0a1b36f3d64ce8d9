import CLibPQ

/// An error between a statement and its rows.
///
/// An error never contains a bound value. PostgreSQL's DETAIL, HINT and CONTEXT are dropped, because they quote rows. The
/// message is included only for the SQLSTATE classes whose messages name objects and states instead of values: 08, 0A, 25,
/// 28, 3D, 3F, 40, 53, 55 and 57. Class 42 is included only for errors in the statement's own text and for a missing
/// permission. For all others, only the SQLSTATE is reported.
///
/// A cancelled task receives Swift's `CancellationError` instead.
package struct DatabaseError: Error, Sendable {
    package enum Kind: Sendable {
        /// PostgreSQL rejected the statement. `sqlState` has the reason. Its transaction is rolled back.
        case server
        /// There is no connection, or it was lost. Statements that were sent may or may not have been executed.
        case connection
        /// All sessions are lent, and too many callers wait or the wait took too long. Nothing was sent.
        case poolTimeout
        /// `column` is missing, NULL, or of another type than requested.
        case decoding
        /// A call that cannot work, such as a bound value in COPY. Nothing was sent.
        case misuse
    }

    package var kind: Kind
    /// The five characters of PostgreSQL's appendix A; nil if the error is not from the server.
    package var sqlState: String?
    /// The constraint that was violated.
    package var constraint: String?
    /// The table of the constraint.
    package var table: String?
    /// The column that could not be decoded.
    package var column: String?
    /// The message, without values.
    package var message: String?
    /// The position of the error in the statement's text, in characters from 1.
    package var position: Int?
    /// Whether nothing took effect, and the same statements may succeed over another connection or when they are prepared again: nothing was
    /// sent, or the server rejected them because it only reads (25006), stops (57P01, 57P02), starts (57P03) or has lost a prepared statement.
    package internal(set) var mayRetry = false
    /// Whether the statements were a repetition, and their first execution may have taken effect although its answer was lost.
    package internal(set) var isAfterLoss = false

    /// A row with this key exists (23505). `constraint` names the key.
    package var isUniqueViolation: Bool { sqlState == "23505" }

    /// The transaction lost a race with another one (40001), or the two blocked each other (40P01). The whole
    /// transaction may be retried from its start.
    package var isSerializationFailure: Bool { sqlState == "40001" || sqlState == "40P01" }

    /// The database is currently unavailable: no connection, none free, the server is starting, stopping or full (classes 53
    /// and 57P) or accepts no changes (25006), or others blocked the statement for too long (55P03) or permanently (40001, 40P01). The same
    /// call may succeed later.
    package var isOutage: Bool {
        switch kind {
        case .connection, .poolTimeout: true
        case .server:
            isSerializationFailure
                || sqlState.map { $0.hasPrefix("53") || $0.hasPrefix("57P") || ["25006", "55P03"].contains($0) } ?? false
        case .decoding, .misuse: false
        }
    }

    init(_ kind: Kind, _ message: String? = nil, sqlState: String? = nil, column: String? = nil) {
        (self.kind, self.message, self.sqlState, self.column) = (kind, message, sqlState, column)
    }
}

extension DatabaseError: CustomStringConvertible {
    package var description: String {
        var text =
            switch kind {
            case .server: "PostgreSQL rejected the statement"
            case .connection: "no connection to PostgreSQL"
            case .poolTimeout: "all connections to PostgreSQL are in use"
            case .decoding: "a column could not be read"
            case .misuse: "the database cannot be used this way"
            }
        if let column { text += ", column \(column)" }
        if let sqlState { text += ", SQLSTATE \(sqlState)" }
        if let constraint { text += ", constraint \(constraint)" }
        if let table { text += ", table \(table)" }
        if let message { text += ": \(message)" }
        return text
    }
}

extension DatabaseError {
    /// SQLSTATE classes whose messages never quote a value.
    private static let classesThatNameObjects: Set<Substring> = ["08", "0A", "25", "28", "3D", "3F", "40", "53", "55", "57"]

    /// The server rejects changes, or is starting or stopping. Another server, or the same one later, may accept the statements.
    private static let statesOfAnotherServer: Set<String> = ["25006", "57P01", "57P02", "57P03"]

    /// The server's error in a result.
    init(result: OpaquePointer) {
        func field(_ code: UnicodeScalar) -> String? {
            PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) }
        }
        let state = field("C")
        // An error without SQLSTATE is from libpq itself: the connection is lost.
        guard let state else {
            self.init(.connection, "the connection was lost")
            return
        }
        // A FATAL is the last message of a session. The session was terminated, or the server shuts down.
        let isLast = field("V") == "FATAL" || field("V") == "PANIC"
        self.init(isLast ? .connection : .server, sqlState: state)
        mayRetry = Self.statesOfAnotherServer.contains(state)
        constraint = field("n")
        table = field("t")
        position = field("P").flatMap { Int($0) }
        // An unknown name in the text has a position. An unknown name in a value that is cast to regclass has none.
        let isAboutText = state.hasPrefix("42") && (position != nil || state == "42501")
        if isAboutText || Self.classesThatNameObjects.contains(state.prefix(2)) { message = field("M") }
    }

    /// Whether a prepared statement is no longer valid in the session. Its result type changed with a table (0A000
    /// from RevalidateCachedQuery), or the session lost it (26000).
    static func isStaleStatement(_ result: OpaquePointer) -> Bool {
        guard let state = PQresultErrorField(result, Int32(UnicodeScalar("C").value)) else { return false }
        switch String(cString: state) {
        case "26000": return true
        case "0A000":
            guard let function = PQresultErrorField(result, Int32(UnicodeScalar("R").value)) else { return false }
            return String(cString: function) == "RevalidateCachedQuery"
        default: return false
        }
    }
}
