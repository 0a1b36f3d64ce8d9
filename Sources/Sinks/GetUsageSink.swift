import Access
import Hummingbird
import Postgres
import Web

extension UsageSinkRoutes {
    @Sendable
    func getUsageSink(_ request: Request, _ call: PlatformContext) async throws -> Response {
        try call.require(.usageRead)
        let answers = try await PlatformDatabase(pool).run([UsageSink.find, UsageSink.waiting])
        guard let sink = try answers[0].first(UsageSink.init) else { throw Problem.notFound("usage sink") }
        return try .resource(try sink.reply(answers[1]), updatedAt: sink.updatedAt)
    }
}
