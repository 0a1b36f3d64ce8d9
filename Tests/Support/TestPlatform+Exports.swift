import Access
import Crypto
package import Foundation
package import NIOCore
package import NIOHTTP1
import NIOPosix
import Postgres
import Server

/// An export as a client receives it.
package struct ExportAnswer {
    package let status: Int
    package let headers: HTTPHeaders
    package let trailers: HTTPHeaders?
    package let body: [UInt8]

    package var text: String { String(decoding: body, as: UTF8.self) }
    package var lines: [String] { text.split(separator: "\n").map(String.init) }
    package var json: [String: any Sendable] { (try? JSONSerialization.jsonObject(with: Data(body)) as? [String: any Sendable]) ?? [:] }
    package var sha256: String { Self.sha256(body) }

    package static func sha256(_ bytes: [UInt8]) -> String { SHA256.hash(data: bytes).map { String(format: "%02x", $0) }.joined() }
}

extension TestPlatform {
    package static let march = "from=2026-03-01T00:00:00Z&to=2026-04-01T00:00:00Z"

    /// Uses its own network connection, because the HTTP client hides trailers.
    /// - Parameters:
    /// - key: an operator's key by default.
    /// - midway: runs after the file has started, before more of it is read.
    package func export(
        _ query: String, key: String? = nil, path: String = "", headers: [(String, String)] = [("TE", "trailers")],
        midway: () async throws -> Void = {}
    ) async throws -> ExportAnswer {
        let port = Int(address.split(separator: ":").last ?? "") ?? 0
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    return try NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>(wrappingChannelSynchronously: channel)
                }
            }
        let fields = HTTPHeaders(
            [("Host", "login.test"), ("Authorization", "Bearer \(key ?? seeded.api_keys[0].secret)"), ("Connection", "close")] + headers)
        return try await channel.executeThenClose { inbound, outbound in
            // Both are sent together, because a refusal may close the connection before a second write.
            try await outbound.write(
                contentsOf: [
                    .head(.init(version: .http1_1, method: .GET, uri: "/v1/usage/export\(path)?\(query)", headers: fields)), .end(nil),
                ])
            var (status, answered, body): (Int, HTTPHeaders, [UInt8]) = (0, [:], [])
            for try await part in inbound {
                switch part {
                case .head(let head): (status, answered) = (Int(head.status.code), head.headers)
                case .body(let buffer):
                    if body.isEmpty { try await midway() }
                    body += buffer.readableBytesView
                case .end(let trailers): return ExportAnswer(status: status, headers: answered, trailers: trailers, body: body)
                }
            }
            throw TestSimulator.Refused(description: "the response has no end")
        }
    }

    /// A client that requests an export and reads only its start.
    package func reader(of query: String, key: String) async throws -> any Channel {
        let port = Int(address.split(separator: ":").last ?? "") ?? 0
        let beginning = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: String.self)
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelOption(.autoRead, value: false).channelOption(.socketOption(.so_rcvbuf), value: 1 << 12)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(FirstRead(beginning)) }
            }
            .connect(host: "127.0.0.1", port: port).get()
        let request = "GET /v1/usage/export?\(query) HTTP/1.1\r\nHost: login.test\r\nAuthorization: Bearer \(key)\r\n\r\n"
        try await channel.writeAndFlush(ByteBuffer(string: request))
        channel.read()
        let head = try await beginning.futureResult.get()
        guard head.hasPrefix("HTTP/1.1 200") else { throw TestSimulator.Refused(description: head) }
        return channel
    }

    /// Appends logins of March 2026 that the database generates: all for Acme, or for this number of tenants that the platform does not
    /// have.
    package func appendMany(_ count: Int, tenants: Int? = nil) async throws {
        let acme = ID<Tenant>(acme.id)!
        _ = try await ownerPool.run("SELECT create_usage_partition('2026-03-01')")
        // Inserted in parts, because on a busy machine all rows at once can exceed the statement timeout.
        for first in stride(from: 0, to: count, by: 20_000) {
            _ = try await ownerPool.run(
                """
                INSERT INTO usage_event (occurred_at, billing_period, tenant_id, id, application_id, user_id, kind, connection)
                SELECT timestamptz '2026-03-01 00:00:00Z' + number * interval '31 days' / \(count), '2026-03-01',
                    COALESCE(md5((number % \(tenants))::text)::uuid, \(acme)), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(),
                    'login', 'own'
                FROM generate_series(\(first), \(min(first + 20_000, count) - 1)) AS number
                """)
        }
        _ = try await ownerPool.run("ANALYZE usage_event")
    }

    package func manifest(_ query: String, key: String? = nil) async throws -> ExportAnswer {
        try await export(query, key: key, path: "/manifest", headers: [])
    }
}

private final class FirstRead: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let promise: EventLoopPromise<String>

    init(_ promise: EventLoopPromise<String>) {
        self.promise = promise
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        promise.succeed(String(buffer: unwrapInboundIn(data)))
    }

    func channelInactive(context: ChannelHandlerContext) {
        promise.fail(ChannelError.eof)
    }
}

package func time(_ text: String) -> Date {
    let parts = text.dropLast().split(separator: ".")
    let whole = try! Date("\(parts[0])Z", strategy: .iso8601)
    return parts.count == 1 ? whole : whole.addingTimeInterval(Double("0.\(parts[1])")!)
}
