import Access
import Encoding
import Foundation
import Hummingbird
import Postgres
import Users
import Web

/// The change in the audit trail, from which nothing can be deleted. It names the changed members without their values, because these may
/// identify the person.
private struct Change: Encodable {
    let id: ID<User>
    let object = "user"
    let changed: [String]
}

extension AuthKitUserRoutes {
    /// Changes the values that the application stores with a user. All other values come from Apple.
    @Sendable
    func authKitUpdateUser(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.usersWrite)
        let id = try call.id("user", of: "user", as: User.self)
        var fields = try await JSONFields(request)
        for name in Self.fromApple where fields.has(name) {
            _ = fields.value(name)
            fields.refuse(name, "Apple is the source of this value. It cannot be changed.")
        }
        let (hasExternalID, hasMetadata) = (fields.has("external_id"), fields.has("metadata"))
        let externalID = fields.text("external_id", 1...UserDetails.longestExternalID)
        let removesMetadata = fields.isNull("metadata")
        let metadata = Self.metadata(&fields)
        try fields.finish()

        let now = now()
        let (tenant, origin) = (call.tenant, call.origin)
        do {
            try await call.database(pool).transaction { db in
                let (user, stored) = try await db.run(UserReply.lock(id, of: tenant), UserDetails.find(id, of: tenant))
                guard !user.isEmpty else { throw Problem.notFound("user") }
                let before = try stored.first(UserDetails.init) ?? UserDetails()
                var after = before
                if hasExternalID { after.externalID = externalID }
                if removesMetadata { after.metadata = [:] }
                for (name, value) in metadata { after.metadata[name] = value }
                guard after.metadata.count <= UserDetails.mostMetadata else {
                    throw Problem.invalid(.init("metadata", "A user can have up to \(UserDetails.mostMetadata) members of metadata."))
                }
                let isNew = after.externalID.map { Array($0.utf8) } != before.externalID.map { Array($0.utf8) }
                let changed =
                    (isNew ? ["external_id"] : []) + (hasMetadata && after.metadata != before.metadata ? ["metadata"] : [])
                guard !changed.isEmpty else { return }
                _ = try await db.run([
                    try after.save(of: id, tenant, at: now),
                    try AuditEvent.insert(
                        "authKitUpdateUser", of: id.description, owner: tenant.uuid, by: origin, after: Change(id: id, changed: changed),
                        at: now),
                ])
            }
        } catch let error as DatabaseError where error.constraint == "authkit_user_external_id" {
            throw WorkOSError(
                status: .conflict, code: "external_id_already_used", message: "Another user has this external_id. Send another value.")
        }
        guard let user = try await WorkOSUser.find(id, in: call.database(pool), of: tenant) else { throw Problem.notFound("user") }
        return try .json(user)
    }

    private static let fromApple = ["email", "email_verified", "first_name", "last_name", "name", "locale"]

    /// The changed members. A nil value removes a member.
    private static func metadata(_ fields: inout JSONFields) -> [String: String?] {
        guard let value = fields.value("metadata") else { return [:] }
        guard case .object(let members) = value else {
            fields.refuse("metadata", "It must be an object of strings.")
            return [:]
        }
        var metadata: [String: String?] = [:]
        for (name, value) in members {
            guard (1...UserDetails.longestMetadataName).contains(name.unicodeScalars.count), !name.utf8.contains(0) else {
                fields.refuse("metadata", "A name must have 1 to \(UserDetails.longestMetadataName) characters.")
                continue
            }
            switch value {
            case .null: metadata[name] = .some(nil)
            case .string(let text) where text.unicodeScalars.count <= UserDetails.longestMetadataValue && !text.utf8.contains(0):
                metadata[name] = text
            default:
                fields.refuse("metadata.\(name)", "It must be a string of up to \(UserDetails.longestMetadataValue) characters, or null.")
            }
        }
        return metadata
    }
}
