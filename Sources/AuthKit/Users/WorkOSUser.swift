import Access
import Foundation
import Postgres
import Sessions
import Users

/// A user in WorkOS's interface.
struct WorkOSUser: Encodable, Sendable {
    let object = "user"
    let id: ID<User>
    /// Null if Apple has reported no address.
    @Nullable private(set) var email: String?
    let email_verified: Bool
    @Nullable private(set) var first_name: String?
    @Nullable private(set) var last_name: String?
    @Nullable private(set) var name: String?
    /// Apple has no pictures.
    @Nullable private(set) var profile_picture_url: String?
    @Nullable private(set) var last_sign_in_at: Date?
    @Nullable private(set) var external_id: String?
    private(set) var metadata: [String: String]
    /// Apple reports no locale.
    @Nullable private(set) var locale: String?
    let created_at, updated_at: Date

    init(_ user: UserReply, lastSignInAt: Date?, _ details: UserDetails?) {
        (id, created_at, updated_at, email_verified) = (user.id, user.created_at, user.updated_at, user.email_verified)
        let parts = [user.given_name, user.family_name].compactMap(\.self)
        _email = Nullable(wrappedValue: user.email)
        _first_name = Nullable(wrappedValue: user.given_name)
        _last_name = Nullable(wrappedValue: user.family_name)
        _name = Nullable(wrappedValue: parts.isEmpty ? nil : parts.joined(separator: " "))
        _profile_picture_url = Nullable(wrappedValue: nil)
        _last_sign_in_at = Nullable(wrappedValue: lastSignInAt)
        _external_id = Nullable(wrappedValue: details?.externalID)
        _locale = Nullable(wrappedValue: nil)
        metadata = details?.metadata ?? [:]
    }

    /// A deleted user. Espalier keeps the ID, and the ID has the time of the creation.
    init(deleted id: ID<User>, at time: Date) {
        (self.id, created_at, updated_at, email_verified) = (id, FeedPage.time(of: id.uuid), time, false)
        (_email, _first_name, _last_name) = (Nullable(wrappedValue: nil), Nullable(wrappedValue: nil), Nullable(wrappedValue: nil))
        (_name, _profile_picture_url) = (Nullable(wrappedValue: nil), Nullable(wrappedValue: nil))
        (_external_id, _locale) = (Nullable(wrappedValue: nil), Nullable(wrappedValue: nil))
        _last_sign_in_at = Nullable(wrappedValue: nil)
        metadata = [:]
    }

    /// The user without what the tenant stored.
    var withoutDetails: WorkOSUser {
        var copy = withoutMetadata
        copy.external_id = nil
        return copy
    }

    /// The user for a place with a limited size.
    var withoutMetadata: WorkOSUser {
        var copy = self
        copy.metadata = [:]
        return copy
    }

    /// Reads a user, in one round trip. Nil if the user does not exist.
    static func find(_ id: ID<User>, in database: OwnerDatabase, of tenant: ID<Tenant>) async throws -> WorkOSUser? {
        let (found, logins, details) = try await database.run(
            UserReply.find(id, of: tenant), Session.logins(of: id, tenant), UserDetails.find(id, of: tenant))
        let times = try logins.map { try $0.get("last_login_at", as: Date.self) }
        return try found.first { WorkOSUser(try UserReply($0), lastSignInAt: times.max(), try details.first(UserDetails.init)) }
    }

    /// Reads what these users have in other tables.
    static func all(_ users: [UserReply], in database: OwnerDatabase, of tenant: ID<Tenant>) async throws -> [WorkOSUser] {
        let ids = users.map(\.id)
        let logins = try await Session.lastLogins(of: ids, in: database, tenant)
        let details = try await UserDetails.all(of: ids, in: database, tenant)
        return users.map { WorkOSUser($0, lastSignInAt: logins[$0.id], details[$0.id]) }
    }
}
