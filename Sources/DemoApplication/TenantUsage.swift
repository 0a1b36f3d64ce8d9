import AsyncHTTPClient
import Foundation
import NIOHTTP1

/// How many logins a tenant will be charged for, as the REST API tells it to the tenant's own key.
struct TenantUsage: Decodable, Sendable {
    /// The first moment that is counted, RFC 3339.
    var from: String
    var logins: Int

    /// Asks for the current usage; nil when it isn't to be had, because no page of the demo is worth less without it.
    static func fetch(of tenant: DemoApplication.Tenant, baseURL: String, client: HTTPClient) async throws -> TenantUsage? {
        var request = HTTPClientRequest(url: "\(baseURL)/v1/tenants/\(tenant.slug)/usage")
        request.headers.add(name: "Authorization", value: "Bearer \(tenant.apiKey)")
        do {
            let (status, body) = try await client.answer(to: request)
            return status == .ok ? try? JSONDecoder().decode(TenantUsage.self, from: body) : nil
        } catch is Refusal {
            return nil
        }
    }
}
