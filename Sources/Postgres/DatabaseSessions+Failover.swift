import Logging

/// A pool's way to a new primary.
extension DatabaseSessions {
    /// Looks for a primary on another server while the present one does not answer. If there is one, all sessions with other servers end.
    ///
    /// A frozen server closes no connection. Without this, each statement would wait for its time limit. A slow statement looks the same, but
    /// then the primary is still the same server.
    func lookForPrimary() {
        guard !isLookingForPrimary, !isClosing, connector.parameters.hasOnePrimary else { return }
        isLookingForPrimary = true
        Task {
            defer { isLookingForPrimary = false }
            while open.contains(where: \.isSilent), !isClosing {
                guard let session = try? await DatabaseSession.open(connector) else {
                    // An attempt takes as long as a server does not answer. Only rejections are fast.
                    try await Task.sleep(for: BackOff.delay(afterFailures: 4))
                    continue
                }
                let former = open.filter { !$0.isWithServer(of: session) }
                if !former.isEmpty {
                    logger.notice("another PostgreSQL is the primary now", metadata: ["server": "\(session.server)"])
                }
                for old in former { old.close(DatabaseError(.connection, "another server is the primary now")) }
                add(session)
                return
            }
        }
    }

    nonisolated func run(_ statements: [SQL], prelude: Int, isRepeatable: Bool) async throws -> [Rows] {
        try await retrying(isRepeatable: isRepeatable) { deadline in
            try await Submission(statements, prelude: prelude, to: self, until: deadline).result()
        }
    }

    /// Repeats `body` after an error that allows it, until its deadline.
    /// - Parameter isRepeatable: Whether a lost answer allows it, too.
    nonisolated func retrying<R: Sendable>(
        isRepeatable: Bool = false, _ body: (_ deadline: ContinuousClock.Instant) async throws -> R
    ) async throws -> R {
        let deadline = ContinuousClock.now + configuration.waitingTime
        var failures = 0
        var first: DatabaseError?
        var isAfterLoss = false
        while true {
            do {
                return try await body(deadline)
            } catch var error as DatabaseError {
                // The time was over before a session was open. The first error is the reason.
                if error.kind == .poolTimeout { throw first ?? error }
                error.isAfterLoss = isAfterLoss
                let isLost = error.kind == .connection && !error.mayRetry
                guard error.mayRetry || (isLost && isRepeatable), ContinuousClock.now < deadline, !Task.isCancelled, await !isClosing
                else { throw error }
                isAfterLoss = isAfterLoss || isLost
                first = first ?? error
                failures += 1
                try await Task.sleep(for: BackOff.delay(afterFailures: failures))
            }
        }
    }
}
