package import Foundation
package import Postgres
package import Sealing

/// A continuing sign-in of a person, in a browser or in a terminal.
///
/// Its secret is random: `eps_` and 43 base62 characters (256 bits). Only keyed digests are stored: the first one finds the row, and the
/// second one proves that the row is the issued one. Each sign-in makes a new session, so no request can choose one (session fixation).
/// The target `People` has its row.
package struct PersonSession: Identified, Sendable {
    package static let idPrefix = "personsession"

    package enum Kind: String, Codable, Sendable, SQLValue {
        case browser, terminal

        /// How long a session lasts at most, and how long without a use, in seconds.
        package var lifetime: TimeInterval {
            switch self {
            case .browser: 14 * 86400
            case .terminal: 90 * 86400
            }
        }
        package var idleTime: TimeInterval {
            switch self {
            case .browser: 12 * 3600
            case .terminal: 30 * 86400
            }
        }
    }

    /// How long a session lasts at most that a tenant's provider started, in seconds. The provider may block the person any time, and tells
    /// nobody.
    package static let lifetimeOfProvider: TimeInterval = 86400

    /// How long a session lasts at most, in seconds.
    package static func lifetime(of kind: Kind, onlyTenant: ID<Tenant>?) -> TimeInterval {
        onlyTenant == nil ? kind.lifetime : min(kind.lifetime, lifetimeOfProvider)
    }

    package enum EndReason: String, Encodable, Sendable, SQLValue {
        case signOut = "sign_out"
        /// The person ended it from another session, or its tenant's provider or the domain of the address is no longer there.
        case ended
        /// The same browser signed in again.
        case replaced
        /// Its code was used twice.
        case reused
        case passwordChanged = "password_changed"
    }

    package let id: ID<PersonSession>
    package let person: ID<Person>
    package let kind: Kind
    /// How the person signed in, in the words of RFC 8176.
    package let methods: [String]
    /// The only tenant that the session acts for. Nil for all memberships.
    package let onlyTenant: ID<Tenant>?
    /// When the person last gave all factors.
    package let authenticatedAt: Date
    package let createdAt: Date
    package let lastUsedAt: Date
    package let expiresAt: Date
    package let endedAt: Date?
    private let digest: [UInt8]
    private let boundDigest: [UInt8]

    package init(
        id: ID<PersonSession>, person: ID<Person>, kind: Kind, methods: [String], onlyTenant: ID<Tenant>?, authenticatedAt: Date,
        createdAt: Date, lastUsedAt: Date, expiresAt: Date, endedAt: Date?, digest: [UInt8], boundDigest: [UInt8]
    ) {
        (self.id, self.person, self.kind, self.methods, self.onlyTenant) = (id, person, kind, methods, onlyTenant)
        (self.authenticatedAt, self.createdAt, self.lastUsedAt) = (authenticatedAt, createdAt, lastUsedAt)
        (self.expiresAt, self.endedAt, self.digest, self.boundDigest) = (expiresAt, endedAt, digest, boundDigest)
    }

    package func isActive(at now: Date) -> Bool {
        endedAt == nil && now < expiresAt && now < lastUsedAt.addingTimeInterval(kind.idleTime)
    }

    /// Whether the secret with these digests belongs to this row.
    package func authenticates(_ digests: [[UInt8]], with keyring: Keyring, at now: Date) -> Bool {
        keyring.authenticates(digests, digest: digest, keyring.binding(of: digest, boundDigest, to: Self.context(id)), at: now)
    }

    private static let prefix = "eps_"
    private static let characters = 43
    package static let digestPurpose = "person_session"

    package static func makeSecret(using generator: inout some RandomNumberGenerator) -> Secret {
        Secret(prefix + Base62.random(characters, using: &generator))
    }

    /// Whether a text has the form of a secret.
    static func isWellFormed(_ text: String) -> Bool {
        text.utf8.count == prefix.utf8.count + characters && text.utf8.starts(with: prefix.utf8)
    }

    /// The digests of a secret. Nil for a text that is not one, so that it costs no statement.
    package static func digests(of secret: String, with keyring: Keyring) -> [[UInt8]]? {
        guard isWellFormed(secret) else { return nil }
        return keyring.digests(Array(secret.utf8), purpose: digestPurpose)
    }

    /// The row that the digest is bound to.
    package static func context(_ id: ID<PersonSession>) -> SealingContext {
        SealingContext(tenant: .platform, table: "person_session", column: "digest", row: id.description)
    }
}
