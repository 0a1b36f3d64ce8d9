import Logging

/// An event for a listener.
package enum Listening: Sendable, Equatable {
    /// Notifications now arrive. Earlier changes were not reported.
    case connected
    case notification(channel: String, payload: String)
    /// Notifications are lost until the next `connected`.
    case disconnected
}

/// Listens to notifications in a session of its own.
enum Listener {
    static func events(of channels: [String], over connector: Connector, logger: Logger) -> AsyncStream<Listening> {
        let (stream, continuation) = AsyncStream.makeStream(of: Listening.self)
        let task = Task { @EventLoop in
            var failures = 0
            while !Task.isCancelled {
                do {
                    try await listen(to: channels, over: connector) { event in
                        if event == .connected { failures = 0 }
                        continuation.yield(event)
                    }
                } catch is CancellationError {
                    break
                } catch {
                    failures += 1
                    logger.warning("not listening to PostgreSQL", metadata: ["error": "\(error)", "attempt": "\(failures)"])
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
        to channels: [String], over connector: Connector, _ report: @escaping @EventLoop (Listening) -> Void
    ) async throws {
        let session = try await DatabaseSession.open(connector)
        defer { session.close() }
        session.onNotification = { report(.notification(channel: $0, payload: $1)) }
        _ = try await session.run(channels.map { SQL(unsafe: "LISTEN \(quoted($0))") })
        report(.connected)
        // As in a pool, a silent server may have been replaced. Until the session listens to the new one, it would miss changes there.
        if connector.parameters.hasOnePrimary {
            session.onSilence = { [weak session] in session?.close(DatabaseError(.connection, "the server does not answer")) }
        }
        session.checkServer(every: .seconds(2))
        await withTaskCancellationHandler {
            await session.ended()
        } onCancel: {
            Task { @EventLoop in session.close() }
        }
        try Task.checkCancellation()
        report(.disconnected)
        throw session.failure ?? DatabaseError(.connection)
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

    /// Returns when the session has ended.
    fileprivate func ended() async {
        guard failure == nil else { return }
        let end = Promise<Void>()
        onClose = { _ in end.fulfill() }
        await end.wait()
    }
}
