import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Web

/// The port for operators: liveness, readiness and metrics.
func makeOperations(
    _ settings: Settings, pools: DatabasePools, metrics: Metrics, isSchemaUsable: @escaping @Sendable () async throws -> Bool,
    onListening: @escaping @Sendable () -> Void, logger: Logger
) -> some Service {
    let router = Router()
    // Both fail before the public port closes, so that load balancers send no new request here.
    router.get("healthz") { _, _ -> Response in metrics.connections.isEnding ? .stopping : .text("ok\n") }
    router.get("readyz") { _, _ -> Response in
        if metrics.connections.isEnding { return .stopping }
        do {
            guard try await isSchemaUsable() else {
                return .text("the database schema is older than this version: run `espalier migrate`\n", .serviceUnavailable)
            }
            return .text("ready\n")
        } catch {
            return .text("the database is not reachable\n", .serviceUnavailable)
        }
    }
    router.get("metrics") { _, _ in Response.text(metrics.text + (await pools.metrics), type: "text/plain; version=0.0.4; charset=utf-8") }
    // Only a few probes and scrapers call here. The port is private, so one address may have all connections.
    return GuardedServer(
        router.buildResponder(), host: settings.operationsHost, port: settings.operationsPort,
        limits: ConnectionLimits(total: 100, perAddress: nil), counting: OpenConnections(), logger: logger
    ) { _ in onListening() }
}

extension Response {
    fileprivate static var stopping: Response { .text("the server is stopping\n", .serviceUnavailable) }

    fileprivate static func text(_ text: String, _ status: HTTPResponse.Status = .ok, type: String = "text/plain; charset=utf-8")
        -> Response
    {
        Response(
            status: status, headers: [.contentType: type, .contentLength: "\(text.utf8.count)"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
