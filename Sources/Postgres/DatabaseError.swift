import CLibPQ

/// What went wrong between a statement and its rows.
///
/// An error never holds a bound value: PostgreSQL's DETAIL, HINT and CONTEXT are dropped, since they quote rows,
/// and its message is kept only for the SQLSTATE classes whose messages name objects and states instead of values
/// (08, 0A, 25, 28, 3D, 3F, 40, 53, 55, 57, and of 42 what is about the statement's own text or a missing permission). For
/// all others the SQLSTATE has to say it.
/// A cancelled task gets Swift's `CancellationError` instead.
package struct DatabaseError: Error, Sendable {
    package enum Kind: Sendable {
        /// PostgreSQL refused the statement; `sqlState` says why. Its transaction is rolled back.
        case server
        /// There is no connection, or it was lost. What had been sent may or may not have been carried out.
        case connection
        /// All connections are lent, and too many wait already or the wait took too long. Nothing was sent.
        case poolTimeout
        /// `column` is missing, NULL or of another type than asked for.
        case decoding
        /// A call that cannot work, as a bound value in COPY. Nothing was sent.
        case misuse
    }

    package var kind: Kind
    /// The five characters of PostgreSQL's appendix A; nil when the error is not the server's.
    package var sqlState: String?
    /// The constraint that was violated.
    package var constraint: String?
    /// The table whose constraint it is.
    package var table: String?
    /// The column that could not be decoded.
    package var column: String?
    /// What is known without giving away a value.
    package var message: String?
    /// Where in the statement's text the server saw it, in characters from 1.
    package var position: Int?

    /// A row with this key exists (23505); `constraint` says which key.
    package var isUniqueViolation: Bool { sqlState == "23505" }

    /// A race with another transaction was lost (40001) or the two blocked each other (40P01): the whole transaction
    /// may be tried again from its beginning.
    package var isSerializationFailure: Bool { sqlState == "40001" || sqlState == "40P01" }

    /// The database is not to be had at the moment: no connection, none free, it is starting, stopping or full (classes 53 and
    /// 57P), or others were in the way for too long (55P03) or for ever (40001, 40P01). The same call may succeed later.
    package var isOutage: Bool {
        switch kind {
        case .connection, .poolTimeout: true
        case .server: isSerializationFailure || sqlState.map { $0.hasPrefix("53") || $0.hasPrefix("57P") || $0 == "55P03" } ?? false
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
            case .server: "PostgreSQL refused the statement"
            case .connection: "no connection to PostgreSQL"
            case .poolTimeout: "all connections to PostgreSQL are in use"
            case .decoding: "a column could not be read"
            case .misuse: "the statement cannot be run this way"
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

    /// The server's error in a result.
    init(result: OpaquePointer) {
        func field(_ code: UnicodeScalar) -> String? {
            PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) }
        }
        let state = field("C")
        // Without SQLSTATE libpq itself speaks: the connection is gone.
        guard let state else {
            self.init(.connection, "the connection was lost")
            return
        }
        // A FATAL is the last the session says: it was terminated, or the server shuts down.
        let isLast = field("V") == "FATAL" || field("V") == "PANIC"
        self.init(isLast ? .connection : .server, sqlState: state)
        constraint = field("n")
        table = field("t")
        position = field("P").flatMap { Int($0) }
        // An unknown name in the text has a position in it; one that came as a value, to be cast to regclass, has none.
        let isAboutText = state.hasPrefix("42") && (position != nil || state == "42501")
        if isAboutText || Self.classesThatNameObjects.contains(state.prefix(2)) { message = field("M") }
    }

    /// Says that a prepared statement no longer fits the session: its result type changed with a table
    /// (0A000 out of RevalidateCachedQuery), or the session forgot it (26000).
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
