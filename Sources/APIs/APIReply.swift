import Access
import Foundation
import Tenancy

/// An API as callers and the audit trail see it.
struct APIReply: Encodable, Equatable {
    struct Permission: Encodable, Equatable {
        let id: ID<Tenancy.Application>
        let scopes: [String]?

        private enum CodingKeys: CodingKey { case id, scopes }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            // Null is a value here: all scopes.
            try container.encode(scopes, forKey: .scopes)
        }
    }

    let id: ID<API>
    let object = "api"
    let name, audience: String
    let scopes: [String]
    let access_token_seconds: Int
    let applications: [Permission]
    let created_at, updated_at: Date

    init(_ api: API) {
        (id, name, audience, scopes) = (api.id, api.name, api.audience, api.scopes)
        access_token_seconds = api.accessTokenSeconds
        applications = api.permissions.map { Permission(id: $0.application, scopes: $0.scopes) }
        (created_at, updated_at) = (api.createdAt, api.updatedAt)
    }
}
