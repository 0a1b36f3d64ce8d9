package import Access
import Encoding
import Foundation
package import Postgres
package import Tenancy

/// A tenant's own API, which accepts Espalier's access tokens. Its audience is the `aud` of these tokens (RFC 8707, section 2; RFC 9068,
/// section 2.2).
package struct API: Identified, Sendable {
    package static let idPrefix = "api"

    /// An application that may request access tokens for an API.
    package struct Permission: Sendable, Equatable {
        package let application: ID<Tenancy.Application>
        /// The permitted scopes; nil for all scopes of the API, including later ones.
        package let scopes: [String]?
    }

    package let id: ID<API>
    package var name: String
    /// An absolute URI. It never changes, because resource servers compare it.
    package let audience: String
    /// The scopes that the API understands.
    package var scopes: [String]
    /// The lifetime of its access tokens, in seconds.
    package var accessTokenSeconds = Self.defaultAccessTokenSeconds
    package var permissions: [Permission] = []
    let createdAt: Date
    var updatedAt: Date

    static let defaultAccessTokenSeconds = 3600
    /// The limits per tenant and per API, because every process has all APIs of a tenant in memory.
    static let limit = 100
    static let mostPermissions = 100

    /// The scopes that an application may request, or nil if it may not request access tokens for the API.
    package func scopes(for application: ID<Tenancy.Application>) -> [String]? {
        guard let permission = permissions.first(where: { $0.application == application }) else { return nil }
        return permission.scopes.map { permitted in scopes.filter { permitted.has($0) } } ?? scopes
    }
}

// MARK: Rows

extension API {
    /// - Parameter permissions: the permissions of several APIs of the tenant. The initializer selects its own.
    init(_ row: Row, _ permissions: [ID<API>: [Permission]]) throws {
        id = try row.get("id")
        name = try row.get("name")
        audience = try row.get("audience")
        scopes = try row.get("scopes")
        accessTokenSeconds = try row.get("access_token_seconds")
        createdAt = try row.get("created_at")
        updatedAt = try row.get("updated_at")
        self.permissions = permissions[id] ?? []
    }

    /// The APIs of two results: of rows of `api`, and of their permissions.
    static func all(_ rows: Rows, permissions: Rows) throws -> [API] {
        let permissions = Dictionary(
            grouping: try permissions.map { row in
                (
                    try row.get("api_id", as: ID<API>.self),
                    Permission(application: try row.get("application_id"), scopes: try row.get("scopes"))
                )
            }, by: \.0
        ).mapValues { $0.map(\.1) }
        return try rows.map { try API($0, permissions) }
    }

    static func all(of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, name, audience, scopes, access_token_seconds, created_at, updated_at FROM api
        WHERE tenant_id = \(tenant) ORDER BY id
        """
    }

    /// Selects the APIs whose audience is this issuer, or below it.
    package static func find(under issuer: String, of tenant: ID<Tenant>) -> SQL {
        "SELECT id FROM api WHERE tenant_id = \(tenant) AND (audience = \(issuer) OR starts_with(audience, \(issuer) || '/'))"
    }

    static func find(_ id: ID<API>, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, name, audience, scopes, access_token_seconds, created_at, updated_at FROM api
        WHERE tenant_id = \(tenant) AND id = \(id)
        """
    }

    /// Like `find`, and locks the API for a transaction that changes it.
    static func lock(_ id: ID<API>, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, name, audience, scopes, access_token_seconds, created_at, updated_at FROM api
        WHERE tenant_id = \(tenant) AND id = \(id) FOR UPDATE
        """
    }

    func insert(tenant: ID<Tenant>) -> SQL {
        """
        INSERT INTO api (tenant_id, id, name, audience, scopes, access_token_seconds, created_at, updated_at)
        VALUES (\(tenant), \(id), \(name), \(audience), \(scopes), \(accessTokenSeconds), \(createdAt), \(updatedAt))
        """
    }

    func update(tenant: ID<Tenant>) -> SQL {
        """
        UPDATE api SET name = \(name), scopes = \(scopes), access_token_seconds = \(accessTokenSeconds), updated_at = \(updatedAt)
        WHERE tenant_id = \(tenant) AND id = \(id)
        """
    }
}

extension API.Permission {
    static func all(of tenant: ID<Tenant>) -> SQL {
        "SELECT api_id, application_id, scopes FROM api_application WHERE tenant_id = \(tenant) ORDER BY api_id, application_id"
    }

    static func all(of api: ID<API>, _ tenant: ID<Tenant>) -> SQL {
        """
        SELECT api_id, application_id, scopes FROM api_application WHERE tenant_id = \(tenant) AND api_id = \(api)
        ORDER BY application_id
        """
    }

    /// The permissions of several APIs.
    static func all(of apis: [UUID], _ tenant: ID<Tenant>) -> SQL {
        """
        SELECT api_id, application_id, scopes FROM api_application WHERE tenant_id = \(tenant) AND api_id = ANY(\(apis))
        ORDER BY api_id, application_id
        """
    }

    /// The schema refuses an application that does not exist (`api_application_tenant_id_application_id_fkey`).
    func insert(api: ID<API>, tenant: ID<Tenant>) -> SQL {
        """
        INSERT INTO api_application (tenant_id, api_id, application_id, scopes)
        VALUES (\(tenant), \(api), \(application), \(scopes))
        """
    }

    static func deleteAll(of api: ID<API>, _ tenant: ID<Tenant>) -> SQL {
        "DELETE FROM api_application WHERE tenant_id = \(tenant) AND api_id = \(api)"
    }
}
