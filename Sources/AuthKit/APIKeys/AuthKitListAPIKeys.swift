import Access
import Hummingbird
import Postgres
import Web

extension AuthKitAPIKeyRoutes {
    /// Lists the keys of the caller's tenant, as `listAPIKeys` does, including revoked and expired ones.
    @Sendable
    func authKitListAPIKeys(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.apiKeysRead)
        try call.requireOwnOrganization()
        let page = try WorkOSPage(try Query(request.uri.query ?? "", WorkOSPage.parameters)) { WorkOSAPIKey.id($0)?.uuid }
        let keys = try await call.database(pool).run(ShownAPIKey.page(page.request, owner: call.owner))
            .map { WorkOSAPIKey(try ShownAPIKey($0), of: call.tenant) }
        return try .json(page.list(keys, id: \.id) { $0 })
    }
}
