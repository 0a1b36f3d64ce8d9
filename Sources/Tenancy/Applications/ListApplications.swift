import Access
import Foundation
import Hummingbird
import Postgres
import Web

extension ApplicationRoutes {
    @Sendable
    func listApplications(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.applicationsRead)
        let page = try Query(request, "limit", "after", "before").page
        let applications = try await call.database(pool).run(
            """
            SELECT id, kind, name, redirect_uris, logout_uris, backchannel_logout_uri, frontchannel_logout_uri,
                frontchannel_logout_session_required, login_url, bundle_ids, requires_pkce,
                requires_offline_access, allows_development_uris, returns_tokens_in_url, requires_pushed_requests,
                requires_dpop, allows_device_grant, is_third_party, sign_in_page, requires_name, token_endpoint_auth_method, jwks, jwks_uri, access_token_seconds, session_seconds, idle_seconds, signing_algorithm, created_at, updated_at
            FROM application WHERE tenant_id = \(call.tenant) AND id < \(page.upper) AND id > \(page.lower)
            ORDER BY CASE WHEN \(page.isBackward) THEN id END ASC, id DESC LIMIT \(page.fetched)
            """
        ).map(Application.init)
        return try .json(Page(applications, of: page, id: \.id.uuid, ApplicationReply.init))
    }
}
