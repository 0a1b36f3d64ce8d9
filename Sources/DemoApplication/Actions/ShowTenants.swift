import Hummingbird

extension DemoRoutes {
    /// `GET /`: shows the tenants, each with its button and its usage so far.
    @Sendable
    func showTenants(_ request: Request, context: BasicRequestContext) async throws -> Response {
        let usage = try await withThrowingTaskGroup(of: (String, TenantUsage?).self) { group in
            for tenant in tenants {
                group.addTask { (tenant.slug, try await TenantUsage.fetch(of: tenant, baseURL: baseURL, client: client)) }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        return Pages.tenants(tenants.map { ($0, usage[$0.slug]) })
    }
}
