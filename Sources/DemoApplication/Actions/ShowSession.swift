import Foundation
import Hummingbird

extension DemoRoutes {
    /// `GET /session`: shows the signed-in person, the content of the tokens, and the tenant's current usage.
    @Sendable
    func showSession(_ request: Request, context: BasicRequestContext) async throws -> Response {
        guard let session = sessionID(request), let login = await sessions.login(in: session, at: .now),
            let tenant = tenants.first(where: { $0.slug == login.slug })
        else { return .redirect(to: "/") }
        return Pages.session(
            login, of: tenant, usage: try await TenantUsage.fetch(of: tenant, baseURL: baseURL, client: client))
    }
}
