import Access
import Hummingbird
import Postgres
import Tenancy
import Web

private struct Reply: Encodable {
    @Nullable private(set) var api_key: WorkOSAPIKey?

    init(_ key: WorkOSAPIKey?) {
        _api_key = Nullable(wrappedValue: key)
    }
}

extension AuthKitAPIKeyRoutes {
    /// Finds a valid key of the caller's tenant by its secret. Every other text gets null, with the same response for each reason.
    @Sendable
    func authKitValidateAPIKey(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.apiKeysRead)
        var fields = try await JSONFields(request)
        let value = fields.block("value", upTo: 200, isRequired: true)
        try fields.finish()
        var key: WorkOSAPIKey?
        do {
            if let found = try await callers.find(
                secret: value ?? "", within: endpoints.limits, call.record, at: endpoints.now()), found.owner == call.owner
            {
                key = try await call.database(pool).run(ShownAPIKey.find(found.id, owner: call.owner))
                    .first { WorkOSAPIKey(try ShownAPIKey($0), of: call.tenant) }
            }
        } catch is TooManyRequests {
            throw Problem(.rateLimited, "Too many unknown keys came from this address. Retry after the seconds in `Retry-After`.")
        }
        return try .json(Reply(key))
    }
}
