import Logging
import Postgres
import TestSupport

/// One empty database for all tests that leave no data in it.
enum SharedDatabase {
    private static let database = Task { try await TestDatabase.empty() }

    static var url: String {
        get async throws { try await database.value.ownerURL }
    }

    static func pool(_ change: (inout DatabasePool.Configuration) -> Void = { _ in }) async throws -> DatabasePool {
        try TestDatabase.pool(try await url, change)
    }
}

extension DatabasePool {
    /// Waits until a query is true, at most one minute. Another session's progress decides the result.
    func wait(until condition: SQL) async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < deadline {
            if try await run(condition)[0].get("done") { return true }
            try await Task.sleep(for: .milliseconds(5))
        }
        return false
    }
}

/// Returns the error that a call is expected to throw.
func databaseError(of call: () async throws -> Void) async -> DatabaseError? {
    do {
        try await call()
        return nil
    } catch {
        return error as? DatabaseError
    }
}

extension Logger {
    /// For services whose log is not tested.
    static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}
