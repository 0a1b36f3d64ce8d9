

/// Something that did not come about in time.
package struct NeverCameAbout: Error, CustomStringConvertible {
    package let what: String
    package let within: Duration
    package var description: String { "never came about within \(within): \(what)" }
}

/// Asks again and again until there is an answer.
///
/// For what another process does and tells nobody. The limit is for a test that fails: one that passes never waits for it.
/// - Throws: `NeverCameAbout`, and what `answer` throws.
@discardableResult
package func eventually<T>(_ what: String, within limit: Duration = .seconds(60), _ answer: () async throws -> T?) async throws -> T {
    let deadline = ContinuousClock.now + limit
    while true {
        if let found = try await answer() { return found }
        guard ContinuousClock.now < deadline else { throw NeverCameAbout(what: what, within: limit) }
        try await Task.sleep(for: .milliseconds(5))
    }
}

/// Asks again and again until it is so.
/// - Throws: `NeverCameAbout`, and what `isSo` throws.
package func eventually(_ what: String, within limit: Duration = .seconds(60), isSo: () async throws -> Bool) async throws {
    try await eventually(what, within: limit) { try await isSo() ? () : nil }
}
