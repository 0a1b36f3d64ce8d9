import Access
import Encoding
import Foundation
import Postgres
import Users

/// The values that an application stores with a user: its own ID of the user, and metadata. Espalier only returns them.
struct UserDetails: Sendable {
    var externalID: String?
    var metadata: [String: String] = [:]

    /// The limits of WorkOS.
    static let longestExternalID = 128
    static let mostMetadata = 10
    static let longestMetadataName = 40
    static let longestMetadataValue = 600

    init() {}

    init(_ row: Row) throws {
        externalID = try row.get("external_id")
        guard case .object(let members) = try JSONValue(json: row.get("metadata", as: JSON.self).bytes) else { return }
        metadata = members.compactMapValues(\.text)
    }

    // MARK: Rows

    static func find(_ user: ID<User>, of tenant: ID<Tenant>) -> SQL {
        "SELECT external_id, metadata FROM authkit_user WHERE tenant_id = \(tenant) AND user_id = \(user)"
    }

    static func userID(withExternalID externalID: String, of tenant: ID<Tenant>) -> SQL {
        "SELECT user_id FROM authkit_user WHERE tenant_id = \(tenant) AND external_id = \(externalID)"
    }

    /// The details of several users, without those that have none.
    static func all(of users: [ID<User>], in database: OwnerDatabase, _ tenant: ID<Tenant>) async throws -> [ID<User>: UserDetails] {
        guard !users.isEmpty else { return [:] }
        let rows = try await database.run(
            "SELECT user_id, external_id, metadata FROM authkit_user WHERE tenant_id = \(tenant) AND user_id = ANY(\(users))")
        return Dictionary(uniqueKeysWithValues: try rows.map { (try $0.get("user_id"), try UserDetails($0)) })
    }

    func save(of user: ID<User>, _ tenant: ID<Tenant>, at now: Date) throws -> SQL {
        let json = JSON(bytes: try JSONWriter.encode(metadata))
        return """
            INSERT INTO authkit_user (tenant_id, user_id, external_id, metadata, updated_at)
            VALUES (\(tenant), \(user), \(externalID), \(json), \(now))
            ON CONFLICT (tenant_id, user_id) DO UPDATE
            SET external_id = excluded.external_id, metadata = excluded.metadata, updated_at = excluded.updated_at
            """
    }
}
