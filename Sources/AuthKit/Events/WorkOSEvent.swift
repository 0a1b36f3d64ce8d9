import Access
import Encoding
import Foundation
import Ledger
import Postgres
import Sessions
import Tenancy
import Users

/// An event in WorkOS's interface.
///
/// Espalier stores no events for it. They are what users, logins, sessions and the audit trail contain, so they cost a sign-in nothing. The
/// data is that of today. Only the IDs of a deleted user remain.
struct WorkOSEvent: Encodable, Sendable {
    /// In the order of events of the same millisecond.
    enum Kind: String, CaseIterable, Sendable {
        case userCreated = "user.created"
        case signedIn = "authentication.oauth_succeeded"
        case sessionCreated = "session.created"
        case userUpdated = "user.updated"
        case sessionRevoked = "session.revoked"
        case userDeleted = "user.deleted"

        var inFeed: FeedPage.Kind {
            let number: UInt8 =
                switch self {
                case .userCreated: 1
                case .signedIn: 2
                case .sessionCreated: 3
                case .userUpdated: 4
                case .sessionRevoked: 5
                case .userDeleted: 6
                }
            return FeedPage.Kind(number, rawValue)
        }

        /// The actions in the audit trail that the event is about.
        var actions: [String] {
            switch self {
            case .userUpdated: ["authKitUpdateUser"]
            case .userDeleted: ["deleteUser", "deleteOwnUser", "user.account_deleted"]
            case .userCreated, .signedIn, .sessionCreated, .sessionRevoked: []
            }
        }
    }

    /// The data of a sign-in.
    struct SignIn: Encodable, Sendable {
        let type = "oauth"
        let status = "succeeded"
        let provider = "AppleOAuth"
        let user_id: ID<User>
        @Nullable private(set) var email: String?
        @Nullable private(set) var ip_address: String?
        @Nullable private(set) var user_agent: String?

        init(_ user: ID<User>, email: String?, _ session: SessionReply?) {
            user_id = user
            _email = Nullable(wrappedValue: email)
            _ip_address = Nullable(wrappedValue: session?.address)
            _user_agent = Nullable(wrappedValue: session?.user_agent)
        }
    }

    enum Content: Encodable, Sendable {
        case user(WorkOSUser)
        case session(WorkOSSession)
        case signIn(SignIn)
        /// An event that WorkOS does not have.
        case other(JSONValue)

        func encode(to encoder: any Encoder) throws {
            switch self {
            case .user(let user): try user.encode(to: encoder)
            case .session(let session): try session.encode(to: encoder)
            case .signIn(let signIn): try signIn.encode(to: encoder)
            case .other(let value): try value.encode(to: encoder)
            }
        }
    }

    let object = "event"
    let id, event: String
    let data: Content
    let created_at: Date

    /// - Parameter position: the place in the feed, which has the time of the event.
    init(_ kind: Kind, at position: UUID, _ data: Content) {
        (id, event, self.data) = (Self.id(position), kind.rawValue, data)
        created_at = FeedPage.time(of: position)
    }

    /// An event that WorkOS does not have.
    init(other type: String, _ id: String, _ data: JSONValue, at time: Date) {
        (self.id, event, self.data, created_at) = (id, type, .other(data), time)
    }

    // MARK: The ID

    private enum Entity: Identified {
        static let idPrefix = "event"
    }

    static func id(_ position: UUID) -> String { ID<Entity>(position).description }
    static func position(_ id: String) -> UUID? { ID<Entity>(id)?.uuid }
}
