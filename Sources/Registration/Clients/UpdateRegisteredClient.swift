import Access
import Encoding
import Foundation
import HTTPTypes
import Hummingbird
import Postgres
import Sealing
import Sessions
import Tenancy
import Web

extension RegistrationRoutes {
    /// Replaces all metadata of a client (RFC 7592, section 2.2). An absent member gets its default. The registration access token does not
    /// change.
    @Sendable
    func updateRegisteredClient(_ request: Request, _ context: WebContext) async throws -> Response {
        try await endpoints.reportingOutage(context) {
            guard let tenant = try await endpoints.tenant(context)?.tenant else { throw Problem.notFound("tenant") }
            let now = endpoints.now()
            let access = try await registrationAccess(request, tenant, context, at: now)
            let metadata = try await ClientMetadata(request, allowsPrivate: allowsPrivate) { bytes in
                try countChange(bytes, access, context)
            }
            guard metadata.clientID?.isSame(as: access.application.id.description) == true
            else { throw OAuthError(metadata: [.init("client_id", "It must be the ID of this client.")]) }
            // Creates the signing key now, because the first login would otherwise wait for it.
            let algorithm = try metadata.replacement(of: access.application).signingAlgorithm
            if algorithm != access.application.signingAlgorithm { try await applications.prepareSigning(algorithm, tenant.id) }

            let details = metadata.storedDetails
            let changed = try await refusingProblems {
                try await applications.change(
                    access.application.id, as: "updateRegisteredClient", of: tenant.id, by: access.origin,
                    with: { db in
                        // Since the check of the token, an administrator may have ended the registration, and the client may have changed it.
                        guard
                            let current = try await db.run(ClientRegistration.lock(access.application.id, of: tenant.id))
                                .first(ClientRegistration.init)
                        else { throw OAuthError.badRegistrationAccessToken }
                        try await requireSecret(metadata.clientSecret, access, db, at: now)
                        guard details != current.details else { return [] }
                        var replaced = current
                        replaced.details = details
                        replaced.updatedAt = now.asChange(after: current.updatedAt)
                        return [
                            try replaced.update(tenant: tenant.id),
                            try AuditEvent.insert(
                                "updateRegisteredClient", of: current.application.description, owner: tenant.id.uuid, by: access.origin,
                                before: ApplicationRegistrationReply(current), after: ApplicationRegistrationReply(replaced), at: now),
                        ]
                    }
                ) { try metadata.replacement(of: $0) }
            }
            endpoints.directory.forget(tenant.id.uuid)
            return try .json(
                RegisteredClientReply(changed, details, token: access.token, issuer: endpoints.issuer(tenant)))
        }
    }

    /// Counts a replacement by its real size, because a chunked body has no length before.
    private func countChange(_ bytes: Int, _ access: RegistrationAccess, _ context: WebContext) throws(OAuthError) {
        let cost = Self.cost(of: bytes)
        try clientChanges.take(access.application.id, cost: cost, at: .now).requireGranted(
            "This client made more than \(clientChanges.perMinute) changes in a minute.", context.record)
        try changes.take(access.tenant.id, cost: cost, at: .now).requireGranted(
            "The tenant's registered clients together made more than \(changes.perMinute) changes in a minute.", context.record)
    }

    /// Requires that a sent secret is a valid one of the application.
    private func requireSecret(_ text: String?, _ access: RegistrationAccess, _ db: Transaction, at now: Date) async throws {
        guard let text else { return }
        let (id, tenant, keyring) = (access.application.id, access.tenant.id, endpoints.keyring)
        let digests = keyring.digests(Array(text.utf8), purpose: ApplicationSecret.digestPurpose)
        for row in try await db.run(ApplicationSecret.digests(of: id, tenant: tenant, at: now)) {
            let (secret, digest): (ID<ApplicationSecret>, [UInt8]) = (try row.get("id"), try row.get("digest"))
            let binding = keyring.binding(
                of: digest, try row.get("bound_digest"), to: ApplicationSecret.context(secret, of: id, tenant: tenant))
            if keyring.authenticates(digests, digest: digest, binding, at: now) { return }
        }
        throw OAuthError(metadata: [
            .init("client_secret", "It must be the current secret of this client. A client cannot choose it. Leave it out.")
        ])
    }
}
