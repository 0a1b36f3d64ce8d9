import Foundation
import Hummingbird

extension DemoRoutes {
    /// `GET /session`: who is signed in, what the tokens say, and what the tenant's usage is now.
    @Sendable
    func showSession(_ request: Request, context: BasicRequestContext) async throws -> Response {
        guard let session = sessionID(request), let login = await sessions.login(in: session, at: .now),
            let tenant = tenants.first(where: { $0.slug == login.slug })
        else { return .redirect(to: "/") }
        return Pages.session(
            login, of: tenant, usage: try await TenantUsage.fetch(of: tenant, baseURL: baseURL, client: client))
    }
}
