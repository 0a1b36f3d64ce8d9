import Access
import Foundation

/// An API key of a tenant in WorkOS's interface. Its ID has the prefix `api_key_`.
struct WorkOSAPIKey: Encodable, Sendable {
    struct Owner: Encodable, Sendable {
        let type = "organization"
        let id: String
    }

    private static let prefix = "api_key"

    let object = "api_key"
    let id: String
    let owner: Owner
    let name, obfuscated_value: String
    @Nullable private(set) var last_used_at: Date?
    @Nullable private(set) var expires_at: Date?
    /// The scopes.
    let permissions: [String]
    let created_at, updated_at: Date
    /// Only in the response that creates the key.
    let value: String?

    init(_ key: ShownAPIKey, of tenant: ID<Tenant>) {
        id = "\(Self.prefix)_\(WorkOSID.digits(key.id))"
        owner = Owner(id: WorkOSID.text(tenant))
        (name, obfuscated_value, permissions) = (key.name, "esk_…\(key.last_four)", key.scopes)
        (created_at, updated_at, value) = (key.created_at, key.updated_at, key.secret)
        _last_used_at = Nullable(wrappedValue: key.last_used_at)
        _expires_at = Nullable(wrappedValue: key.expires_at)
    }

    static func id(_ text: String) -> ID<APIKey>? { WorkOSID.id(text, prefix) }
}
