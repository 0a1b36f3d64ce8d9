import Access
import Hummingbird
import Postgres
import Web

extension UsageSinkRoutes {
    @Sendable
    func getUsageSink(_ request: Request, _ call: PlatformContext) async throws -> Response {
        try call.require(.usageRead)
        let (found, waiting) = try await call.platformDatabase(pool).run(UsageSink.find, UsageSink.waiting)
        guard let sink = try found.first(UsageSink.init) else { throw Problem.notFound("usage sink") }
        return try .resource(try sink.reply(waiting), updatedAt: sink.updatedAt)
    }
}
