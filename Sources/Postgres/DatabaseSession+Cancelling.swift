import CLibPQ

/// Cancels statements at the server when no caller waits for them.
extension DatabaseSession {
    /// The time that a server has to end a cancelled statement. Afterwards, the session is closed.
    private static var cancellationLimit: Duration { .seconds(5) }

    func cancel(_ batch: Batch) {
        guard failure == nil, !batch.isOver else { return }
        batch.isCancelled = true
        requestCancellation()
        _ = EventLoop.after(Self.cancellationLimit) {
            if !batch.isOver { self.close(DatabaseError(.connection, "the server did not cancel in time")) }
        }
    }

    /// Requests the cancellation of the running statement, over another connection, as the protocol requires.
    func requestCancellation() {
        struct Handle: @unchecked Sendable { let pointer: OpaquePointer? }
        let handle = Handle(pointer: PQgetCancel(link))
        cancellations += 1
        // A frozen server accepts the connection of the request and never answers.
        let timer = EventLoop.after(Self.cancellationLimit) {
            self.close(DatabaseError(.connection, "the server did not cancel in time"))
        }
        Task { @EventLoop in
            await Blocking.cancellations(at: server).run {
                var message: [CChar] = Array(repeating: 0, count: 256)
                PQcancel(handle.pointer, &message, Int32(message.count))
                PQfreeCancel(handle.pointer)
            }
            timer.cancel()
            cancellations -= 1
            guard cancellations == 0 else { return }
            for waiting in afterCancellations { waiting.fulfill() }
            afterCancellations = []
        }
    }

    /// Whether a cancel request may still arrive and hit another statement.
    var isBeingCancelled: Bool { cancellations > 0 }

    /// Waits until no cancel request can take effect. The server has received them and has finished one more round
    /// trip, at whose start it discards late requests.
    func settle() async {
        do {
            _ = try await run([], isCancellable: false)
        } catch {
            close(DatabaseError(.connection, "the connection did not recover from a cancellation"))
        }
    }
}
