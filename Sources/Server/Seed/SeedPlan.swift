import Apple
import Foundation
package import Tenancy

/// What `espalier seed` creates, as its file says it.
package struct SeedPlan: Codable, Sendable {
    package struct ConnectionPlan: Codable, Sendable {
        package var team_id: String
        package var services_id: String
        package var bundle_ids: [String]?
        package var key_id: String
        /// The path of the `.p8`, relative to the plan's folder.
        package var key_file: String?
        /// Or the PEM itself.
        package var key: String?
    }

    package struct ApplicationPlan: Codable, Sendable {
        package var name: String
        package var kind: Application.Kind
        package var redirect_uris: [String]
        package var requires_pkce: Bool?
        package var logout_uris: [String]?
        package var bundle_ids: [String]?
        package var signing_algorithm: Application.SigningAlgorithm?
    }

    package struct APIKeyPlan: Codable, Sendable {
        package var name: String
        package var scopes: [APIKey.Scope]?
    }

    package struct TenantPlan: Codable, Sendable {
        package var slug: String
        package var name: String
        package var plan: Tenant.Plan
        package var connection: ConnectionPlan?
        package var applications: [ApplicationPlan]?
        package var api_keys: [APIKeyPlan]?
    }

    /// The shared connection.
    package var connection: ConnectionPlan?
    /// Keys of operators.
    package var api_keys: [APIKeyPlan]?
    package var tenants: [TenantPlan]?
}

/// What was created. Secrets are here and nowhere else.
package struct SeedResult: Codable, Sendable {
    package struct Key: Codable, Sendable {
        package let id, name, secret: String
    }

    package struct App: Codable, Sendable {
        package let client_id, name: String
        package let client_secret: String?
        package let redirect_uris: [String]
    }

    package struct TenantResult: Codable, Sendable {
        package let slug, id, issuer: String
        /// `own` or `shared`.
        package let connection: String
        /// To be registered at Apple, letter by letter.
        package let return_url: String
        package var applications: [App] = []
        package var api_keys: [Key] = []
    }

    package var api_keys: [Key] = []
    package var tenants: [TenantResult] = []
}
