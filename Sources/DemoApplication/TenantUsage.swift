import AsyncHTTPClient
import Foundation
import NIOHTTP1

/// The number of logins that a tenant will be charged for, from the REST API with the tenant's own key.
struct TenantUsage: Decodable, Sendable {
    /// The start of the counted range (inclusive), RFC 3339.
    var from: String
    var logins: Int

    /// Fetches the current usage; nil if it is unavailable, because every page of the demo also works without it.
    static func fetch(of tenant: DemoApplication.Tenant, baseURL: String, client: HTTPClient) async throws -> TenantUsage? {
        var request = HTTPClientRequest(url: "\(baseURL)/v1/tenants/\(tenant.tenantSlug)/usage")
        request.headers.add(name: "Authorization", value: "Bearer \(tenant.apiKey)")
        do {
            let (status, body) = try await client.answer(to: request)
            return status == .ok ? try? JSONDecoder().decode(TenantUsage.self, from: body) : nil
        } catch is Refusal {
            return nil
        }
    }
}
