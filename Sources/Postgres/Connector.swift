import CLibPQ

/// Connects to a server of the required kind among the servers of the URL, and blocks no thread.
///
/// If only one server can be of that kind (`read-write`, `primary`), the next server is tried after 250 ms without a result, so that a
/// server that does not answer costs little. A server that rejected the connection is tried again while others do not answer, because it
/// may be promoted in the meantime. For other kinds, the order of the URL is a preference, so each server is tried after the previous one.
@EventLoop
final class Connector {
    /// A connection that can run statements.
    struct Link: @unchecked Sendable {
        let pointer: OpaquePointer
        /// With its address.
        let server: ServerAddress
    }

    nonisolated let parameters: ConnectionParameters
    /// The server of the latest connection, which is tried first.
    private var latest: ServerAddress?

    private static let delayOfNext = Duration.milliseconds(250)
    private static let delayOfRepetition = Duration.milliseconds(500)

    nonisolated init(_ parameters: ConnectionParameters) {
        self.parameters = parameters
    }

    /// - Throws: `DatabaseError` of kind `.connection` with the reason of each server, `CancellationError`.
    func connect() async throws -> Link {
        let kinds = parameters.requiredKind == "prefer-standby" ? ["standby", "any"] : [parameters.requiredKind]
        for kind in kinds.dropLast() {
            if let link = try? await connect(kind: kind) { return link }
            try Task.checkCancellation()
        }
        return try await connect(kind: kinds.last!)
    }

    private enum Event: Sendable {
        case connected(Link)
        case failed(ServerAddress, DatabaseError)
        /// The time to try the next server has come.
        case next
        case again(ServerAddress)
    }

    private func connect(kind: String) async throws -> Link {
        try Task.checkCancellation()
        let isRace = parameters.hasOnePrimary
        var servers = parameters.servers
        if isRace, let latest, let index = servers.firstIndex(of: latest) { servers.swapAt(0, index) }
        let deadline = ContinuousClock.now + parameters.connectLimit
        let link = try await withThrowingTaskGroup(of: Event.self) { group in
            var untried = servers[...]
            var running = 0
            var reasons: [ServerAddress: DatabaseError] = [:]
            var event = Event.next
            while true {
                switch event {
                case .connected(let link):
                    group.cancelAll()
                    while let other = try await group.next() {
                        if case .connected(let unused) = other { PQfinish(unused.pointer) }
                    }
                    return link
                case .failed(let server, let reason):
                    running -= 1
                    reasons[server] = reason
                    if isRace, running > 0, .now < deadline, !Task.isCancelled {
                        group.addTask { await Self.sleep(Self.delayOfRepetition, then: .again(server)) }
                    }
                case .next: break
                case .again(let server):
                    // After a cancellation, the pause before it was none.
                    if running > 0, !Task.isCancelled {
                        running += 1
                        group.addTask { await self.attempt(server, kind: kind) }
                    }
                }
                let mayStart =
                    switch event {
                    case .again: false;
                    case .next: true;
                    default: isRace || running == 0
                    }
                if mayStart, let server = untried.popFirst() {
                    running += 1
                    group.addTask { await self.attempt(server, kind: kind) }
                    if isRace, !untried.isEmpty { group.addTask { await Self.sleep(Self.delayOfNext, then: .next) } }
                }
                guard running > 0, let next = try await group.next() else {
                    group.cancelAll()
                    try Task.checkCancellation()
                    throw DatabaseError(.connection, servers.compactMap { reasons[$0]?.message }.joined(separator: "; "))
                }
                event = next
            }
        }
        try releaseIfCancelled(link)
        latest = servers.first { $0.host == link.server.host && $0.port == link.server.port }
        return link
    }

    private func releaseIfCancelled(_ link: Link) throws {
        guard Task.isCancelled else { return }
        PQfinish(link.pointer)
        throw CancellationError()
    }

    private static func sleep(_ delay: Duration, then event: Event) async -> Event {
        // It ends early only when its result is no longer needed.
        try? await Task.sleep(for: delay)
        return event
    }

    /// Tries the addresses of a server, one after the other.
    private func attempt(_ server: ServerAddress, kind: String) async -> Event {
        var reasons: [String] = []
        do {
            for address in try await server.resolved(within: parameters.connectLimit) {
                guard let pointer = parameters.start(address, kind: kind) else {
                    return .failed(server, .init(.connection, "out of memory"))
                }
                switch await ConnectionAttempt(pointer).finish(within: parameters.connectLimit) {
                case .connected: return .connected(Link(pointer: pointer, server: address))
                case .failed(let reason):
                    PQfinish(pointer)
                    reasons.append(reason ?? "\(address): not connected within \(parameters.connectLimit)")
                }
            }
        } catch {
            return .failed(server, error as? DatabaseError ?? DatabaseError(.connection, "\(server): cancelled"))
        }
        return .failed(server, DatabaseError(.connection, reasons.joined(separator: "; ")))
    }
}

/// A connection that libpq establishes, step by step, whenever its socket is ready.
@EventLoop
private final class ConnectionAttempt {
    enum Outcome: Sendable {
        case connected
        /// With libpq's reason; nil after the time limit.
        case failed(String?)
    }

    private let link: OpaquePointer
    private let outcome = Promise<Outcome>()
    private var watch: EventLoopThread.Watch?
    private var isOver = false

    init(_ link: OpaquePointer) {
        self.link = link
    }

    /// Returns when the connection is established or has failed. A cancelled task ends it.
    func finish(within limit: Duration) async -> Outcome {
        let timer = EventLoop.after(limit) { self.end(.failed(nil)) }
        defer { timer.cancel() }
        if PQstatus(link) == CONNECTION_BAD {
            end(.failed(reason))
        } else {
            // As if PQconnectPoll had requested this (libpq, Database Connection Control Functions).
            wait(for: PGRES_POLLING_WRITING)
        }
        return await withTaskCancellationHandler {
            await outcome.wait()
        } onCancel: {
            Task { @EventLoop in self.end(.failed("cancelled")) }
        }
    }

    private func wait(for state: PostgresPollingStatusType) {
        // The socket may be another one after each step.
        if let watch { EventLoopThread.shared.remove(watch) }
        let watch = EventLoopThread.Watch(socket: PQsocket(link)) { self.advance() }
        watch.wantsToRead = state == PGRES_POLLING_READING
        watch.wantsToWrite = state == PGRES_POLLING_WRITING
        EventLoopThread.shared.add(watch)
        self.watch = watch
    }

    private func advance() {
        guard !isOver else { return }
        switch PQconnectPoll(link) {
        case PGRES_POLLING_OK: end(.connected)
        case PGRES_POLLING_FAILED: end(.failed(reason))
        case let state: wait(for: state)
        }
    }

    /// libpq's message names hosts, users and databases. It never includes a password here.
    private var reason: String {
        String(cString: PQerrorMessage(link)).utf8.split(separator: UInt8(ascii: "\n")).map { String(Substring($0)) }.joined(
            separator: "; ")
    }

    private func end(_ outcome: Outcome) {
        guard !isOver else { return }
        isOver = true
        if let watch { EventLoopThread.shared.remove(watch) }
        watch = nil
        self.outcome.fulfill(outcome)
    }
}
