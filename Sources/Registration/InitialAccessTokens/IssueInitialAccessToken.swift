import Access
import Foundation
import HTTPTypes
import Hummingbird
import Postgres
import Sealing
import Tenancy
import Web

extension InitialAccessTokenRoutes {
    /// Issues an initial access token. Only this response contains it.
    @Sendable
    func issueInitialAccessToken(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.applicationsWrite)
        try call.requireRecentSignIn(at: now())
        let now = now()
        var fields = try await JSONFields(request)
        let name = fields.text("name", isRequired: true)
        // A machine acts without a user, so the issuer permits it explicitly.
        let kinds = fields.choices("kinds", Application.Kind.self) ?? [.web, .spa, .native]
        let requiresPKCE = fields.flag("requires_pkce") ?? true
        let most = fields.integer("max_registrations", 1...InitialAccessToken.mostRegistrations) ?? 1
        let expiresAt = fields.time("expires_at", after: now) ?? now.addingTimeInterval(InitialAccessToken.defaultSeconds)
        if expiresAt > now.addingTimeInterval(InitialAccessToken.longestSeconds) {
            fields.refuse("expires_at", "It must be within 90 days. Issue another token later.")
        }
        try fields.finish()
        guard let name else { throw Problem(.invalid, "`name` is required.") }

        var random = SystemRandomNumberGenerator()
        let secret = InitialAccessToken.make(using: &random)
        let token = InitialAccessToken(
            id: ID(at: now), name: name, lastFour: String(secret.reveal().suffix(4)), kinds: kinds, requiresPKCE: requiresPKCE,
            mostRegistrations: most, expiresAt: expiresAt, createdAt: now, updatedAt: now)
        let tenant = call.tenant
        let statements = [
            token.insert(secret, tenant: tenant, keyring: keyring),
            try AuditEvent.insert(
                "issueInitialAccessToken", of: token.id.description, owner: call.owner, by: call.origin,
                after: InitialAccessTokenReply(token), at: now),
        ]
        try await call.database(pool).transaction { db in
            let (_, usable) = try await db.run(
                // A tenant issues tokens one after another. Otherwise two requests could both issue the last one.
                "SELECT pg_advisory_xact_lock(1634757481, hashtext(\(tenant)::text))",
                """
                SELECT count(*) AS n FROM initial_access_token
                WHERE tenant_id = \(tenant) AND revoked_at IS NULL AND expires_at > \(now) AND registrations < max_registrations
                """)
            guard try usable[0].get("n", as: Int.self) < InitialAccessToken.most else {
                throw Problem(
                    .conflict, "A tenant can have at most \(InitialAccessToken.most) usable initial access tokens. Revoke an unused one.")
            }
            _ = try await db.run(statements)
        }
        return try .resource(
            InitialAccessTokenReply(token, showing: secret), updatedAt: now, status: .created,
            headers: [.location: "/v1/tenants/\(call.slug)/initial-access-tokens/\(token.id)"])
    }
}
