/// An expected event did not happen in time.
package struct NeverHappened: Error, CustomStringConvertible {
    package let what: String
    package let within: Duration
    package var description: String { "did not happen within \(within): \(what)" }
}

/// Calls `answer` repeatedly until it returns a value.
///
/// For work of another process that reports nothing. The limit is for failing tests. A passing test never waits for it.
/// - Throws: `NeverHappened`, and the errors of `answer`.
@discardableResult
package func eventually<T>(_ what: String, within limit: Duration = .seconds(60), _ answer: () async throws -> T?) async throws -> T {
    let deadline = ContinuousClock.now + limit
    while true {
        if let found = try await answer() { return found }
        guard ContinuousClock.now < deadline else { throw NeverHappened(what: what, within: limit) }
        try await Task.sleep(for: .milliseconds(5))
    }
}

/// Calls `isSo` repeatedly until it returns true.
/// - Throws: `NeverHappened`, and the errors of `isSo`.
package func eventually(_ what: String, within limit: Duration = .seconds(60), isSo: () async throws -> Bool) async throws {
    try await eventually(what, within: limit) { try await isSo() ? () : nil }
}
