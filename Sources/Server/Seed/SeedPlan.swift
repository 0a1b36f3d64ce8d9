package import Access
import Apple
import Foundation
package import Sessions
package import Tenancy

/// The objects that `espalier seed` creates, in the format of its file.
package struct SeedPlan: Codable, Sendable {
    package struct ConnectionPlan: Codable, Sendable {
        package var team_id: String
        package var services_id: String
        package var bundle_ids: [String]?
        package var key_id: String
        /// The path of the `.p8`, relative to the plan's folder.
        package var key_file: String?
        /// Alternatively, the PEM itself.
        package var key: String?

        package init(
            team_id: String, services_id: String, bundle_ids: [String]? = nil, key_id: String, key_file: String? = nil, key: String? = nil
        ) {
            self.team_id = team_id
            self.services_id = services_id
            self.bundle_ids = bundle_ids
            self.key_id = key_id
            self.key_file = key_file
            self.key = key
        }
    }

    package struct ApplicationPlan: Codable, Sendable {
        package var name: String
        package var kind: Application.Kind
        package var redirect_uris: [String]
        package var requires_pkce: Bool?
        package var requires_offline_access: Bool?
        package var allows_development_uris: Bool?
        package var returns_tokens_in_url: Bool?
        package var requires_pushed_requests: Bool?
        package var requires_dpop: Bool?
        package var allows_device_grant: Bool?
        package var is_third_party: Bool?
        package var sign_in_page: SignInPageUse?
        package var requires_name: Bool?
        package var token_endpoint_auth_method: Application.AuthMethod?
        package var jwks: Keys?
        package var jwks_uri: String?
        package var logout_uris: [String]?
        package var frontchannel_logout_uri: String?
        package var frontchannel_logout_session_required: Bool?
        package var login_url: String?
        package var bundle_ids: [String]?
        package var signing_algorithm: Application.SigningAlgorithm?

        package init(
            name: String, kind: Application.Kind, redirect_uris: [String], requires_pkce: Bool? = nil, requires_offline_access: Bool? = nil,
            allows_development_uris: Bool? = nil, returns_tokens_in_url: Bool? = nil,
            requires_pushed_requests: Bool? = nil, requires_dpop: Bool? = nil, allows_device_grant: Bool? = nil,
            is_third_party: Bool? = nil, sign_in_page: SignInPageUse? = nil, requires_name: Bool? = nil,
            token_endpoint_auth_method: Application.AuthMethod? = nil, jwks: Keys? = nil, jwks_uri: String? = nil,
            logout_uris: [String]? = nil, frontchannel_logout_uri: String? = nil, frontchannel_logout_session_required: Bool? = nil,
            login_url: String? = nil,
            bundle_ids: [String]? = nil,
            signing_algorithm: Application.SigningAlgorithm? = nil
        ) {
            self.name = name
            self.kind = kind
            self.redirect_uris = redirect_uris
            self.requires_pkce = requires_pkce
            self.requires_offline_access = requires_offline_access
            self.allows_development_uris = allows_development_uris
            self.returns_tokens_in_url = returns_tokens_in_url
            self.requires_pushed_requests = requires_pushed_requests
            self.requires_dpop = requires_dpop
            self.allows_device_grant = allows_device_grant
            self.is_third_party = is_third_party
            self.sign_in_page = sign_in_page
            self.requires_name = requires_name
            self.token_endpoint_auth_method = token_endpoint_auth_method
            self.jwks = jwks
            self.jwks_uri = jwks_uri
            self.logout_uris = logout_uris
            self.frontchannel_logout_uri = frontchannel_logout_uri
            self.frontchannel_logout_session_required = frontchannel_logout_session_required
            self.login_url = login_url
            self.bundle_ids = bundle_ids
            self.signing_algorithm = signing_algorithm
        }
    }

    /// A JWK set. Every member of a key is a text.
    package struct Keys: Codable, Sendable {
        package var keys: [[String: String]]

        package init(keys: [[String: String]]) {
            self.keys = keys
        }
    }

    package struct APIKeyPlan: Codable, Sendable {
        package var name: String
        package var scopes: [APIKey.Scope]?

        package init(name: String, scopes: [APIKey.Scope]? = nil) {
            self.name = name
            self.scopes = scopes
        }
    }

    package struct BrandingPlan: Codable, Sendable {
        package var display_name: String?
        package var color: String?
        package var support_url: String?
        package var privacy_url: String?
        package var terms_url: String?
        package var default_language: String?
        /// The path of a PNG or SVG, relative to the plan's folder.
        package var logo_file: String?

        package init(
            display_name: String? = nil, color: String? = nil, support_url: String? = nil, privacy_url: String? = nil,
            terms_url: String? = nil, default_language: String? = nil, logo_file: String? = nil
        ) {
            self.display_name = display_name
            self.color = color
            self.support_url = support_url
            self.privacy_url = privacy_url
            self.terms_url = terms_url
            self.default_language = default_language
            self.logo_file = logo_file
        }
    }

    package struct TenantPlan: Codable, Sendable {
        package var slug: String
        package var name: String
        package var plan: Tenant.Plan
        package var branding: BrandingPlan?
        package var connection: ConnectionPlan?
        package var applications: [ApplicationPlan]?
        package var api_keys: [APIKeyPlan]?

        package init(
            slug: String, name: String, plan: Tenant.Plan, branding: BrandingPlan? = nil, connection: ConnectionPlan? = nil,
            applications: [ApplicationPlan]? = nil, api_keys: [APIKeyPlan]? = nil
        ) {
            self.slug = slug
            self.name = name
            self.plan = plan
            self.branding = branding
            self.connection = connection
            self.applications = applications
            self.api_keys = api_keys
        }
    }

    /// The shared connection.
    package var connection: ConnectionPlan?
    /// API keys of operators.
    package var api_keys: [APIKeyPlan]?
    package var tenants: [TenantPlan]?

    package init(connection: ConnectionPlan? = nil, api_keys: [APIKeyPlan]? = nil, tenants: [TenantPlan]? = nil) {
        self.connection = connection
        self.api_keys = api_keys
        self.tenants = tenants
    }
}

/// The created objects. Their secrets are only here.
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
        /// The Return URL, to be registered at Apple exactly as it is.
        package let return_url: String
        package var applications: [App] = []
        package var api_keys: [Key] = []
    }

    package var api_keys: [Key] = []
    package var tenants: [TenantResult] = []
}
