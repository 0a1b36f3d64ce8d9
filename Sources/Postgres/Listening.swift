import Logging

/// An event for a listener.
package enum Listening: Sendable, Equatable {
    /// Notifications now arrive. Earlier changes may not have been reported. It also comes when another session replaces one that is too old.
    case connected
    case notification(channel: String, payload: String)
    /// Notifications are lost until the next `connected`.
    case disconnected
}

/// Listens to notifications in a session of its own.
enum Listener {
    /// - Parameter maximumAge: The time after which another session replaces the present one. A random part of up to a fifth is subtracted.
    static func events(
        of channels: [String], over connector: Connector, maximumAge: Duration, logger: Logger
    ) -> AsyncStream<Listening> {
        let (stream, continuation) = AsyncStream.makeStream(of: Listening.self)
        let task = Task { @EventLoop in
            var failures = 0
            while !Task.isCancelled {
                do {
                    try await listen(to: channels, over: connector, maximumAge: maximumAge, logger: logger) { event in
                        if event == .connected, failures > 0 {
                            logger.notice("listening to PostgreSQL again", metadata: ["attempts": "\(failures + 1)"])
                            failures = 0
                        }
                        continuation.yield(event)
                    }
                } catch is CancellationError {
                    break
                } catch {
                    failures += 1
                    logger.warning("not listening to PostgreSQL", metadata: ["cause": "\(error)", "attempt": "\(failures)"])
                    // The sleep ends early only when the task is cancelled. The loop checks this.
                    try? await Task.sleep(for: BackOff.delay(afterFailures: failures))
                }
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    /// Listens until the task is cancelled, or throws when the connection is lost.
    @EventLoop
    private static func listen(
        to channels: [String], over connector: Connector, maximumAge: Duration, logger: Logger,
        _ report: @escaping @EventLoop (Listening) -> Void
    ) async throws {
        var session = try await open(channels, over: connector, report)
        defer { session.close() }
        report(.connected)
        var time = maximumAge * Double.random(in: 0.8...1)
        while true {
            let old = session
            await withTaskCancellationHandler {
                await old.ended(within: max(time, shortestTime))
            } onCancel: {
                Task { @EventLoop in old.close() }
            }
            try Task.checkCancellation()
            if let failure = old.failure {
                report(.disconnected)
                throw failure
            }
            // The old session can also end while the next one is opened.
            old.onClose = { _ in report(.disconnected) }
            do {
                session = try await open(channels, over: connector, report)
            } catch {
                old.onClose = nil
                guard old.failure == nil, !Task.isCancelled else { throw error }
                logger.warning("still listening to PostgreSQL over an old connection", metadata: ["cause": "\(error)"])
                time = pauseOfReplacement
                continue
            }
            // The new session listens already, so only changes before this moment can be missing.
            old.onClose = nil
            old.close()
            report(.connected)
            time = maximumAge * Double.random(in: 0.8...1)
        }
    }

    private static let shortestTime = Duration.milliseconds(100)
    /// The time after a failed replacement until the next attempt.
    private static let pauseOfReplacement = Duration.seconds(30)

    @EventLoop
    private static func open(
        _ channels: [String], over connector: Connector, _ report: @escaping @EventLoop (Listening) -> Void
    ) async throws -> DatabaseSession {
        let session = try await DatabaseSession.open(connector)
        session.onNotification = { report(.notification(channel: $0, payload: $1)) }
        do {
            _ = try await session.run(channels.map { SQL(unsafe: "LISTEN \(quoted($0))") })
        } catch {
            session.close()
            throw error
        }
        // As in a pool, a silent server may have been replaced. Until the session listens to the new one, it would miss changes there.
        if connector.parameters.hasOnePrimary {
            session.onSilence = { [weak session] in session?.close(DatabaseError(.connection, "the server does not answer")) }
        }
        session.checkServer(every: .seconds(2))
        return session
    }

    private static func quoted(_ name: String) -> String {
        // By byte, because a `String` does not find a quote with U+0301 after it.
        let quote = UInt8(ascii: "\"")
        return String(decoding: [quote] + name.utf8.flatMap { $0 == quote ? [quote, quote] : [$0] } + [quote], as: UTF8.self)
    }
}

extension DatabaseSession {
    /// A frozen server sends no notification and closes no connection. So it is asked regularly. Without an answer in time, the session
    /// closes itself.
    fileprivate func checkServer(every interval: Duration) {
        _ = EventLoop.after(interval) { [weak self] in
            guard let self, failure == nil else { return }
            Task {
                _ = try? await self.run([])
                self.checkServer(every: interval)
            }
        }
    }

    /// Returns when the session has ended, or when the time is over.
    fileprivate func ended(within limit: Duration) async {
        guard failure == nil else { return }
        let end = Promise<Void>()
        onClose = { _ in end.fulfill() }
        let timer = EventLoop.after(limit) { end.fulfill() }
        await end.wait()
        timer.cancel()
    }
}
