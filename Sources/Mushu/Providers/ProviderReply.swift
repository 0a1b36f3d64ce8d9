import Access
import Foundation
import Tenancy

/// The tenant's connection as a provider of an application. It never has a private key.
struct ProviderReply: Encodable, Sendable {
    let app_id: ID<Application>
    let provider_type = "apple"
    /// Whether users sign in through the connection.
    let enabled: Bool
    /// Whether Apple has accepted the key.
    let is_configured: Bool
    let apple_team_id: String
    let apple_key_id: String?
    let apple_bundle_ids: [String]
    let apple_services_id: String
    let legacy_bridge_enabled = false
    let created_at, updated_at: Date

    private enum CodingKeys: CodingKey {
        case app_id, provider_type, enabled, is_configured, apple_team_id, apple_key_id, apple_bundle_ids, apple_services_id
        case legacy_bridge_enabled, created_at, updated_at
    }

    init(_ connection: OwnConnection, of application: ID<Application>) {
        (app_id, enabled, is_configured) = (application, connection.isServing, connection.keyID != nil)
        (apple_team_id, apple_key_id) = (connection.teamID, connection.keyID)
        (apple_bundle_ids, apple_services_id) = (connection.bundleIDs, connection.servicesID)
        (created_at, updated_at) = (connection.createdAt, connection.updatedAt)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(app_id, forKey: .app_id)
        try container.encode(provider_type, forKey: .provider_type)
        try container.encode(enabled, forKey: .enabled)
        try container.encode(is_configured, forKey: .is_configured)
        try container.encode(apple_team_id, forKey: .apple_team_id)
        try container.encode(apple_key_id, forKey: .apple_key_id)
        try container.encode(apple_bundle_ids, forKey: .apple_bundle_ids)
        try container.encode(apple_services_id, forKey: .apple_services_id)
        try container.encode(legacy_bridge_enabled, forKey: .legacy_bridge_enabled)
        try container.encode(created_at, forKey: .created_at)
        try container.encode(updated_at, forKey: .updated_at)
    }
}
