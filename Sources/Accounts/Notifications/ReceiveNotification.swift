import Access
import Apple
import Encoding
import Foundation
import HTTPTypes
package import Hummingbird
import Logging
import Postgres
import Sealing
import Tenancy
package import Web

extension NotificationRoutes {
    /// Receives Apple's notifications about users of a tenant's own connections. The tenant may have any status, because a person's
    /// decision at Apple also applies to a suspended tenant and to a tenant that may be restored.
    @Sendable
    package func receiveNotification(_ request: Request, _ context: WebContext) async throws -> Response {
        guard let slug = context.parameters.get("tenant"), let found = try await endpoints.find(slug: slug, context),
            found.tenant.status != .purged
        else { throw Problem.notFound("tenant") }
        context.record.note(tenant: found.tenant.slug)
        return try await receive(request, context, owner: found.tenant.id.uuid)
    }

    /// Receives Apple's notifications for the shared connection and all tenants on it.
    @Sendable
    func receiveSharedNotification(_ request: Request, _ context: WebContext) async throws -> Response {
        try await receive(request, context, owner: .platform)
    }

    /// Verifies and stores a notification. The outbox processes it later. Apple's signature is verified first, so an unauthenticated caller
    /// cannot make Espalier query the database.
    private func receive(_ request: Request, _ context: WebContext, owner: UUID) async throws -> Response {
        let now = now()
        let payload = try await payload(of: request, upTo: context.maxUploadSize)
        let notification: AppleNotification
        do throws(AppleError) {
            notification = try await apple.verifyNotification(payload, at: now)
        } catch .untrusted(let refusal) {
            throw refused(refusal.rawValue, context)
        } catch {
            // Apple sends it again. A refusal would lose it.
            metrics.count(notification: "unverified", "keys_unavailable")
            logger.warning(
                "a notification could not be verified",
                metadata: ["request_id": "\(context.record.current.requestID)", "cause": "\(error)"])
            throw Problem(.unavailable, "Apple's signing keys are unavailable. Retry in a few seconds.")
        }
        let database = OwnerDatabase(pool, owner: owner)
        let teams = try await database.run(StoredNotification.teams(of: notification.audience, owner: owner))
            .map { try $0.get("team_id", as: String.self) }
        guard !teams.isEmpty else { throw refused(IDTokenRefusal.audience.rawValue, context) }

        let id = ID<StoredNotification>(at: now)
        let isNew =
            try await database.run(
                StoredNotification.insert(
                    id, notification, sealed: keyring.seal(Array(payload.utf8), in: StoredNotification.context(id, owner: owner)),
                    teams: teams, owner: owner, at: now)
            ).affected > 0
        metrics.count(notification: StoredNotification.label(notification.event), isNew ? "received" : "repeated")
        return Response(status: .ok, headers: [.cacheControl: "no-store", .contentLength: "0"])
    }

    /// Returns the only member that Espalier reads. Apple may add other members later.
    private func payload(of request: Request, upTo limit: Int) async throws -> String {
        let body = try await request.body.whole(upTo: limit)
        guard case .object(let members)? = try? JSONValue(json: Array(body.readableBytesView)),
            case .string(let payload)? = members["payload"]
        else { throw Problem(.invalid, "Send a JSON object with Apple's signed `payload`.") }
        return payload
    }

    /// The response is the same for every defect. Apple sends no invalid notification, and no other caller may learn by trying.
    private func refused(_ outcome: String, _ context: WebContext) -> Problem {
        metrics.count(notification: "unverified", outcome)
        logger.notice(
            "notification refused", metadata: ["request_id": "\(context.record.current.requestID)", "outcome": "\(outcome)"])
        return Problem(.invalid, "This is not a valid Apple notification for this address.")
    }
}
