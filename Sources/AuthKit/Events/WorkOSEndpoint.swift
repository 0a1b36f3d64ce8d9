import Access
import Delivery
import Foundation
import Hummingbird
import Sealing
import Web

/// A webhook of the format `workos` in WorkOS's interface. Its ID has the prefix `we_`.
struct WorkOSEndpoint: Encodable, Sendable {
    /// The events that an endpoint can receive.
    enum Event: String, CaseIterable, Sendable {
        case userCreated = "user.created"
        case userDeleted = "user.deleted"
        case sessionRevoked = "session.revoked"

        var kind: WebhookEvent.Kind {
            switch self {
            case .userCreated: .userCreated
            case .userDeleted: .userDeleted
            case .sessionRevoked: .sessionRevoked
            }
        }
    }

    private static let prefix = "we"

    let object = "webhook_endpoint"
    let id, endpoint_url: String
    /// Only in the response to the creation, and then null. With null, a receiver that would use it as a key fails. An empty text would be
    /// a key that everybody knows.
    @Nullable private(set) var secret: String?
    let status: Webhook.Status
    let events: [String]
    let created_at, updated_at: Date

    init(_ webhook: Webhook, secret: Secret? = nil) {
        id = "\(Self.prefix)_\(WorkOSID.digits(webhook.id))"
        (endpoint_url, status, events) = (webhook.url, webhook.status, webhook.events)
        (created_at, updated_at) = (webhook.createdAt, webhook.updatedAt)
        _secret = Nullable(wrappedValue: secret?.reveal())
    }

    static func id(_ text: String) -> ID<Webhook>? { WorkOSID.id(text, prefix) }

    /// Another webhook's events have no form here, so it is not an endpoint.
    static func requireEndpoint(_ webhook: Webhook) throws {
        guard webhook.format == .workos else { throw Problem.notFound("webhook endpoint") }
    }
}

extension TenantContext {
    func endpointID() throws -> ID<Webhook> {
        guard let id = parameters.get("authKitEndpoint").flatMap(WorkOSEndpoint.id) else { throw Problem.notFound("webhook endpoint") }
        return id
    }
}
