import Access
import Foundation
import Sessions
import Tenancy
import Users

/// A session in WorkOS's interface.
struct WorkOSSession: Encodable, Sendable {
    enum Status: String, Encodable, Sendable {
        case active, revoked
    }

    let object = "session"
    let id: String
    @Nullable private(set) var user_id: ID<User>?
    let organization_id: String
    @Nullable private(set) var ip_address: String?
    @Nullable private(set) var user_agent: String?
    let auth_method = "oauth"
    let status: Status
    let expires_at: Date
    @Nullable private(set) var ended_at: Date?
    @Nullable private(set) var impersonator: String?
    let created_at, updated_at: Date

    /// - Parameter status: the status at the time that the object is about. It is active in the event of a start, even if the session has
    ///   ended since then.
    init(_ session: SessionReply, _ status: Status, of tenant: ID<Tenant>) {
        id = WorkOSSessionID(session.id, of: session.application_id).text
        organization_id = WorkOSID.text(tenant)
        (self.status, expires_at, created_at) = (status, session.expires_at, session.created_at)
        updated_at = status == .active ? session.last_used_at : session.updated_at
        _user_id = Nullable(wrappedValue: session.user_id)
        _ip_address = Nullable(wrappedValue: session.address)
        _user_agent = Nullable(wrappedValue: session.user_agent)
        _ended_at = Nullable(wrappedValue: status == .active ? nil : session.ended_at)
        _impersonator = Nullable(wrappedValue: nil)
    }

    /// A session of a deleted user. Espalier knows only its IDs and the time of the event.
    init(deleted id: WorkOSSessionID, _ status: Status, of user: ID<User>?, _ tenant: ID<Tenant>, at time: Date) {
        self.id = id.text
        organization_id = WorkOSID.text(tenant)
        (self.status, expires_at, created_at, updated_at) = (status, time, time, time)
        _user_id = Nullable(wrappedValue: user)
        _ip_address = Nullable(wrappedValue: nil)
        _user_agent = Nullable(wrappedValue: nil)
        _ended_at = Nullable(wrappedValue: status == .active ? nil : time)
        _impersonator = Nullable(wrappedValue: nil)
    }
}
