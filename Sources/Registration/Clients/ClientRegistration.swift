import Access
import Encoding
import Foundation
import Postgres
import Sealing
import Tenancy

/// The registration of an application that registered itself: the token that manages it, and the metadata that the application lacks.
struct ClientRegistration: Sendable {
    let application: ID<Application>
    let initialAccessToken: ID<InitialAccessToken>
    var details: ClientDetails
    let createdAt: Date
    var updatedAt: Date

    static let tokenPrefix = "era_"
    static let digestPurpose = "registration_access_token"

    /// A new registration access token (RFC 7592, section 3): `era_` and 43 random base62 characters. It is valid as long as the
    /// registration, so a lost response never locks a client out.
    static func makeToken(using generator: inout some RandomNumberGenerator) -> Secret {
        Secret(tokenPrefix + Base62.random(RegistrationToken.characters, using: &generator))
    }

    /// The row that the digest is bound to.
    static func context(_ application: ID<Application>, of tenant: ID<Tenant>) -> SealingContext {
        SealingContext(tenant: tenant.uuid, table: "client_registration", column: "digest", row: application.description)
    }
}

// MARK: Rows

extension ClientRegistration {
    init(_ row: Row) throws {
        application = try row.get("application_id")
        initialAccessToken = try row.get("initial_access_token_id")
        details = try ClientDetails(JSONValue(json: row.get("metadata", as: JSON.self).bytes))
        createdAt = try row.get("created_at")
        updatedAt = try row.get("updated_at")
    }

    static func find(_ application: ID<Application>, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT application_id, initial_access_token_id, metadata, created_at, updated_at, digest, bound_digest
        FROM client_registration WHERE tenant_id = \(tenant) AND application_id = \(application)
        """
    }

    /// Like `find`, and locks the row until the end of the transaction.
    static func lock(_ application: ID<Application>, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT application_id, initial_access_token_id, metadata, created_at, updated_at
        FROM client_registration WHERE tenant_id = \(tenant) AND application_id = \(application) FOR UPDATE
        """
    }

    func insert(_ token: Secret, tenant: ID<Tenant>, keyring: Keyring) throws -> SQL {
        let digest = keyring.digest(token.revealBytes(), purpose: Self.digestPurpose)
        let bound = keyring.bind(digest, to: Self.context(application, of: tenant))
        let metadata = JSON(bytes: try JSONWriter.encode(details))
        return """
            INSERT INTO client_registration (tenant_id, application_id, initial_access_token_id, digest, bound_digest, metadata, created_at,
                updated_at)
            VALUES (\(tenant), \(application), \(initialAccessToken), \(digest), \(bound), \(metadata), \(createdAt), \(updatedAt))
            """
    }

    func update(tenant: ID<Tenant>) throws -> SQL {
        let metadata = JSON(bytes: try JSONWriter.encode(details))
        return """
            UPDATE client_registration SET metadata = \(metadata), updated_at = \(updatedAt)
            WHERE tenant_id = \(tenant) AND application_id = \(application)
            """
    }
}

/// The registered metadata that `Application` does not have (RFC 7591, section 2; OpenID Connect Dynamic Client Registration 1.0, section
/// 2). Espalier only returns them.
struct ClientDetails: Encodable, Equatable, Sendable {
    /// `client_secret_post`, or nil for the method of the application. Espalier accepts both forms of a secret.
    var token_endpoint_auth_method: String?
    /// Nil for the type that follows from the kind.
    var application_type: String?
    var client_uri, logo_uri, tos_uri, policy_uri: String?
    /// Addresses of the client's developers. The audit trail does not contain them.
    var contacts: [String]?
    var software_id, software_version: String?
    var backchannel_logout_session_required: Bool?

    init() {}

    init(_ stored: JSONValue) {
        guard case .object(let members) = stored else { return }
        token_endpoint_auth_method = members["token_endpoint_auth_method"]?.text
        application_type = members["application_type"]?.text
        client_uri = members["client_uri"]?.text
        logo_uri = members["logo_uri"]?.text
        tos_uri = members["tos_uri"]?.text
        policy_uri = members["policy_uri"]?.text
        if case .array(let elements)? = members["contacts"] { contacts = elements.compactMap(\.text) }
        software_id = members["software_id"]?.text
        software_version = members["software_version"]?.text
        if case .bool(let isRequired)? = members["backchannel_logout_session_required"] {
            backchannel_logout_session_required = isRequired
        }
    }
}
