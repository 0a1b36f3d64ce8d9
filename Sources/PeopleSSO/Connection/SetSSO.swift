import Access
import Encoding
import Foundation
import Hummingbird
import Pages
import People
import Postgres
import Sealing
import Tenancy
import Web

extension SSORoutes {
    /// Sets or replaces the provider with which the members of a tenant sign in.
    ///
    /// The secret is necessary again for another issuer or client. Otherwise a caller could send the stored secret to a server of its own.
    @Sendable
    func setSSO(_ request: Request, _ call: TenantContext) async throws -> Response {
        try requireOwner(call)
        try call.requireRecentSignIn(at: now())
        var fields = try await JSONFields(request)
        let issuer = fields.text("issuer", 8...500, isRequired: true) { IssuerURL.refusal(of: $0, allowsPrivate: allowsPrivate) }
        let clientID = fields.text("client_id", 1...255, isRequired: true) { Self.refusal(ofCredential: $0) }
        let secret = fields.text("client_secret", 1...500) { Self.refusal(ofCredential: $0) }.map { Secret($0) }
        let isRequired = fields.flag("is_required") ?? false
        for name in ["client_secret", "is_required"] where fields.isNull(name) { fields.refuse(name, "Leave it out, or send a value.") }
        try fields.finish()
        guard let issuer, let clientID else { throw Problem(.invalid, "`issuer` and `client_id` are required.") }

        let now = now()
        let (tenant, owner, origin) = (call.tenant, call.owner, call.origin)
        let mail = try await mail({ .providerSet(issuer: issuer, isRequired: isRequired, actor: $0) }, of: call)
        let connection = try await refusingConflicts {
            try await call.database(pool).transaction { db in
                let (tenants, found) = try await db.run(Tenant.find(tenant), SSOConnection.lock(of: tenant))
                guard let plan = try tenants.first(Tenant.init)?.plan else { throw Problem.notFound("tenant") }
                let before = try found.first(SSOConnection.init)
                // A missing provider has no version that the caller can have read.
                try request.requireMatch(EntityTag(before?.updatedAt ?? .distantPast))
                let isSame = before.map { $0.issuer.isSame(as: issuer) && $0.clientID.isSame(as: clientID) } ?? false
                // A lower plan must not keep the members in a requirement that nobody can end.
                guard plan.mayHaveSSO || isSame && secret == nil && !isRequired
                else {
                    throw Problem(
                        .planRequired,
                        """
                        An own provider for members needs the plan `\(Tenant.Plan.enterprise.rawValue)`. The plan is `\(plan.rawValue)`.\
                        \(before == nil ? "" : " You can still delete the provider, or set `is_required` to false.")
                        """)
                }
                guard isSame || secret != nil
                else {
                    throw Problem.invalid(.init("client_secret", "It is required for a new provider, issuer or client."))
                }
                // A wrong setting would lock all members out.
                guard !isRequired || isSame && before?.signedInAt != nil
                else {
                    throw Problem(
                        .conflict, "No member has signed in with this provider yet. Sign in with it once, and require it afterwards.",
                        fields: [.init("is_required", "It needs a sign-in with this issuer and client.")])
                }
                let after: SSOConnection
                if var changed = before {
                    if isSame, secret == nil, changed.isRequired == isRequired { return changed }
                    (changed.issuer, changed.clientID, changed.isRequired) = (issuer, clientID, isRequired)
                    if let secret { changed.setSecret(secret, of: tenant, keyring: keyring) }
                    if !isSame { changed.signedInAt = nil }
                    changed.updatedAt = now.asChange(after: changed.updatedAt)
                    after = changed
                } else if let secret {
                    after = SSOConnection(
                        ID(at: now), issuer: issuer, clientID: clientID, secret: secret, isRequired: false, of: tenant, keyring: keyring,
                        at: now)
                } else {
                    throw Problem(.invalid, "`client_secret` is required.")
                }
                let notice = try await notices.insertions(mail, of: owner, in: db, at: now)
                _ = try await db.run(
                    [before == nil ? after.insert(tenant: tenant) : after.update(tenant: tenant)] + notice + [
                        try AuditEvent.insert(
                            "setSSO", of: after.id.description, owner: owner, by: origin,
                            before: before.map { SSOReply($0, publicURL: publicURL) }, after: SSOReply(after, publicURL: publicURL), at: now
                        )
                    ])
                return after
            }
        }
        return try .resource(SSOReply(connection, publicURL: publicURL), updatedAt: connection.updatedAt)
    }

    /// The printable characters of a client ID and of a secret (RFC 6749, appendix A.1).
    private static func refusal(ofCredential text: String) -> String? {
        text.utf8.allSatisfy { (0x20...0x7E).contains($0) } ? nil : "It must have only printable ASCII characters."
    }
}
