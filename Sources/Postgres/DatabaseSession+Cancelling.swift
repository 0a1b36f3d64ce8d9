import CLibPQ

/// Ending at the server what nobody waits for any more.
extension DatabaseSession {
    /// How long a server may take to end a cancelled statement before the connection is given up.
    private static var cancellationLimit: Duration { .seconds(5) }

    func cancel(_ batch: Batch) {
        guard failure == nil, !batch.isOver else { return }
        batch.isCancelled = true
        requestCancellation()
        _ = EventLoop.after(Self.cancellationLimit) {
            if !batch.isOver { self.close(DatabaseError(.connection, "the server did not cancel in time")) }
        }
    }

    /// Asks the server, over a connection of its own as the protocol wants it, to end what runs.
    func requestCancellation() {
        struct Handle: @unchecked Sendable { let pointer: OpaquePointer? }
        let handle = Handle(pointer: PQgetCancel(link))
        cancellations += 1
        // A frozen server takes the request's connection and never answers it.
        _ = EventLoop.after(Self.cancellationLimit) {
            if self.cancellations > 0 { self.close(DatabaseError(.connection, "the server did not cancel in time")) }
        }
        Task { @EventLoop in
            await Blocking.run {
                var message: [CChar] = Array(repeating: 0, count: 256)
                PQcancel(handle.pointer, &message, Int32(message.count))
                PQfreeCancel(handle.pointer)
            }
            cancellations -= 1
            guard cancellations == 0 else { return }
            for waiting in afterCancellations { waiting.resume() }
            afterCancellations = []
        }
    }

    /// Whether a request to cancel may still arrive, and hit a statement it was not meant for.
    var isBeingCancelled: Bool { cancellations > 0 }

    /// Waits until requests to cancel have done what they may do: the server has taken them, and has been through
    /// one more round trip, at whose beginning it forgets what came too late.
    func settle() async {
        do {
            _ = try await run([], isCancellable: false)
        } catch {
            close(DatabaseError(.connection, "the connection did not recover from a cancellation"))
        }
    }
}
