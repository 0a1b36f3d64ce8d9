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
            try countChange(request, tenant.id, context)
            let metadata = try await ClientMetadata(request, allowsPrivate: allowsPrivate)
            guard metadata.clientID?.isSame(as: access.application.id.description) == true
            else { throw OAuthError(metadata: [.init("client_id", "It must be the ID of this client.")]) }
            if let secret = metadata.clientSecret {
                guard try await isSecret(secret, of: access.application.id, context, at: now) else {
                    throw OAuthError(metadata: [
                        .init("client_secret", "It must be the current secret of this client. A client cannot choose it. Leave it out.")
                    ])
                }
            }

            var registration = access.registration
            registration.details = metadata.storedDetails
            var statements: [SQL] = []
            if registration.details != access.registration.details {
                registration.updatedAt = now.asChange(after: registration.updatedAt)
                statements = [
                    try registration.update(tenant: tenant.id),
                    try AuditEvent.insert(
                        "updateRegisteredClient", of: registration.application.description, owner: tenant.id.uuid, by: access.origin,
                        before: ApplicationRegistrationReply(access.registration), after: ApplicationRegistrationReply(registration),
                        at: now),
                ]
            }
            let related = statements
            let changed = try await refusingProblems {
                try await applications.change(
                    access.application.id, as: "updateRegisteredClient", of: tenant.id, by: access.origin, with: related
                ) { try metadata.replacement(of: $0) }
            }
            endpoints.directory.forget(tenant.id.uuid)
            return try .json(
                RegisteredClientReply(changed, registration.details, token: access.token, issuer: endpoints.issuer(tenant)))
        }
    }

    /// Counts a replacement. As for an API key, each 8 KiB of the body counts as one more.
    private func countChange(_ request: Request, _ tenant: ID<Tenant>, _ context: WebContext) throws(OAuthError) {
        let largest = context.maxUploadSize
        let bytes = min(request.headers[.contentLength].flatMap { Int($0) } ?? largest, largest)
        let level = changes.take(tenant, cost: 1 + max(0, bytes) / 8192, at: .now)
        guard !level.isGranted else { return }
        context.record.note(header: .retryAfter, "\(level.secondsUntilNext)")
        var error = OAuthError(
            .temporarilyUnavailable,
            "The tenant's registered clients together made more than \(changes.perMinute) changes in a minute. "
                + "Retry after the seconds in Retry-After.")
        error.isRateLimited = true
        throw error
    }

    /// Whether a text is a valid secret of the application.
    private func isSecret(_ text: String, of id: ID<Application>, _ context: WebContext, at now: Date) async throws -> Bool {
        let keyring = endpoints.keyring
        let digests = keyring.digests(Array(text.utf8), purpose: ApplicationSecret.digestPurpose)
        let secrets = try await endpoints.tenant(context)?.applications[id]?.secrets ?? []
        return secrets.contains { secret in
            secret.expiresAt.map { now < $0 } ?? true
                && keyring.authenticates(digests, digest: secret.digest, secret.binding, at: now)
        }
    }
}
