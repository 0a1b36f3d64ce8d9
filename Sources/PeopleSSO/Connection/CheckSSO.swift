import Access
import Foundation
import Hummingbird
import Postgres
import Web

private struct Reply: Encodable {
    struct Failure: Encodable {
        let step: OIDCRefusal.Step
        let field: String?
        let detail: String
    }

    let object = "sso_check"
    let is_ready: Bool
    let failures: [Failure]
}

extension SSORoutes {
    /// Looks whether the provider of a tenant is ready to sign members in. It changes nothing.
    @Sendable
    func checkSSO(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.connectionsWrite)
        try await JSONFields(request, isOptional: true).requireEmpty()
        let tenant = call.tenant
        guard let connection = try await call.database(pool).run(SSOConnection.find(of: tenant)).first(SSOConnection.init)
        else { throw Problem.notFound("SSO provider") }
        try questionsOfTenant.take(call.owner, at: .now).requireGrant(
            "The tenant has asked other servers too often in a minute. Retry after the seconds in `Retry-After`.")
        let provider = try connection.provider(of: tenant, publicURL: publicURL, keyring: keyring, documents: documents)
        let refusals = try await provider.check(at: now())
        return try .json(
            Reply(is_ready: refusals.isEmpty, failures: refusals.map { .init(step: $0.step, field: $0.field, detail: $0.detail) }))
    }
}
