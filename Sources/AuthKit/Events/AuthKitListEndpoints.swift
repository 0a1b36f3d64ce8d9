import Access
import Delivery
import Hummingbird
import Postgres
import Web

extension AuthKitEventRoutes {
    @Sendable
    func authKitListEndpoints(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.webhooksRead)
        let page = try WorkOSPage(try Query(request.uri.query ?? "", WorkOSPage.parameters)) { WorkOSEndpoint.id($0)?.uuid }
        let endpoints = try await call.database(pool).run(Webhook.page(page.request, of: call.tenant, format: .workos))
            .map { WorkOSEndpoint(try Webhook($0)) }
        return try .json(page.list(endpoints, id: \.id) { $0 })
    }
}
