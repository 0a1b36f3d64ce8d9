import Access
import Encoding
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Postgres
import ServiceLifecycle
import Web

extension WebhookRoutes {
    /// Sends the events of a tenant as they occur (HTML Standard, section 9.2, "Server-sent events"), for a developer's terminal.
    ///
    /// The stream ends as soon as the caller loses the permission, and after 15 minutes. The terminal then sends the last ID, and gets what it
    /// missed, at most of one hour.
    @Sendable
    func listenWebhooks(_ request: Request, _ call: TenantContext) async throws -> Response {
        try Self.requireScopes(call)
        let seconds = try Query(request, "seconds").integer("seconds", 1...EventStream.longest) ?? EventStream.longest
        let start = try Self.start(request, at: now())
        let (id, database) = (ID<WebhookListener>(at: now()), call.database(pool))
        let (_, inserted) = try await database.run(
            WebhookListener.forgetOld(of: call.tenant, at: now()),
            WebhookListener.insert(id, for: call.origin.actor, of: call.tenant, at: now()))
        guard !inserted.isEmpty else {
            throw Problem(
                .rateLimited,
                """
                Too many terminals listen. A caller has up to \(WebhookListener.mostOfCaller) connections, and a tenant \
                \(WebhookListener.mostOfTenant). Close one, and retry.
                """)
        }
        let stream = EventStream(listener: id, tenant: call.tenant, seconds: seconds, database: database, now: now) {
            try Self.requireScopes(try await call.renewed())
        }
        return Response(
            status: .ok,
            headers: [.contentType: "text/event-stream", .cacheControl: "no-store", .xAccelBuffering: "no"],
            body: ResponseBody { writer in
                do {
                    try await stream.run(after: start) { try await writer.write(ByteBuffer(string: $0)) }
                } catch {
                    // The caller is gone, or the server ends. The row must not keep events. Without this, it does so until its lease ends.
                    do { try await stream.end() } catch {
                        call.logger.warning("cannot delete the row of a webhook listener", metadata: ["cause": "\(error)"])
                    }
                    guard error is CancellationError else { throw error }
                }
                try await writer.finish(nil)
            })
    }

    private static func requireScopes(_ call: TenantContext) throws {
        try call.require(.webhooksRead)
        // Events name users.
        try call.require(.usersRead)
    }

    private static let longestGap: TimeInterval = 3600

    /// The event after which the stream starts: the last one that the caller has, or none before now.
    private static func start(_ request: Request, at now: Date) throws -> ID<WebhookEvent> {
        guard let text = request.headers[.lastEventID] else { return ID(at: now) }
        guard let last = ID<WebhookEvent>(text)
        else { throw Problem.invalid(.init("Last-Event-ID", "It must be the ID of an event, such as `event_…`.")) }
        return ID(max(last.uuid, ID<WebhookEvent>(at: now.addingTimeInterval(-longestGap)).uuid))
    }
}

/// Reads the events of a tenant while one terminal listens.
private struct EventStream: Sendable {
    /// In seconds.
    static let longest = 900
    static let pause: Duration = .seconds(1)
    /// How long a connection is silent, in passes.
    static let silence = 15
    /// A transaction can commit an event this many seconds after the time of its ID.
    static let settling: TimeInterval = 10
    static let batch = 100

    let listener: ID<WebhookListener>
    let tenant: ID<Tenant>
    /// How long the stream lasts.
    let seconds: Int
    let database: OwnerDatabase
    let now: @Sendable () -> Date
    /// Checks that the caller still has the permission.
    let check: @Sendable () async throws -> Void

    /// - Parameter send: returns when there is room for more.
    func run(after start: ID<WebhookEvent>, _ send: (String) async throws -> Void) async throws {
        let end = now().addingTimeInterval(TimeInterval(seconds))
        // No event up to the floor is sent. Above it, those that were sent are known.
        var (floor, sent, pass) = (start.uuid, Set<UUID>(), 0)
        try await send("retry: 1000\n\n")
        while now() < end, !Task.isShuttingDownGracefully {
            guard try await isPermitted() else { break }
            let time = now()
            var after = floor
            var events: [EmittedEvent]
            repeat {
                events = try await database.repeatable.run(Self.events(of: tenant, after: after)).map { try EmittedEvent($0) }
                for event in events where sent.insert(event.id.uuid).inserted { try await send(Self.text(of: event)) }
                after = events.last?.id.uuid ?? after
            } while events.count == Self.batch
            floor = max(floor, ID<WebhookEvent>(at: time.addingTimeInterval(-Self.settling)).uuid)
            sent = sent.filter { $0 > floor }
            pass += 1
            if pass.isMultiple(of: Self.silence) {
                _ = try await database.run(WebhookListener.extend(listener, of: tenant, at: now()))
                try await send(": keep-alive\n\n")
            }
            try await Task.sleep(for: Self.pause)
        }
        try await self.end()
    }

    /// False for a caller who has lost the permission. The terminal learns the reason when it connects again.
    private func isPermitted() async throws -> Bool {
        do { try await check() } catch is Problem { return false } catch is TooManyRequests { return false }
        return true
    }

    func end() async throws {
        let (database, statement) = (database, WebhookListener.delete(listener, of: tenant))
        // A canceled task cannot use the database.
        _ = try await Task { try await database.run(statement) }.value
    }

    private static func events(of tenant: ID<Tenant>, after id: UUID) -> SQL {
        """
        SELECT id, type, occurred_at, data, actor FROM webhook_event WHERE tenant_id = \(tenant) AND id > \(id) ORDER BY id LIMIT \(batch)
        """
    }

    /// The data is the exact body of a delivery. JSON has no line break outside of a text.
    private static func text(of event: EmittedEvent) throws -> String {
        "id: \(event.id)\nevent: \(event.type)\ndata: \(String(decoding: try DeliverWebhook.body(of: event), as: UTF8.self))\n\n"
    }
}

extension HTTPField.Name {
    fileprivate static let lastEventID = HTTPField.Name("Last-Event-ID")!
    /// Tells nginx to pass each event on at once.
    fileprivate static let xAccelBuffering = HTTPField.Name("X-Accel-Buffering")!
}
