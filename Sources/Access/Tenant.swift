package import Foundation
import Postgres

/// A paying customer of the platform and the boundary that nothing of another crosses.
package struct Tenant: Identified, Sendable {
    package static let idPrefix = "tenant"

    package enum Plan: String, Codable, CaseIterable, SQLValue {
        case free, scale, enterprise

        /// Whether Apple credentials of its own are in the plan.
        package var mayBringOwnConnection: Bool { self == .enterprise }
    }

    package enum Status: String, Codable, CaseIterable, SQLValue {
        case active, suspended
        /// Nobody signs in any more, and its own API keys are refused; it can still be restored.
        case deleted
        /// All that is left is its name in the ledger.
        case purged
    }

    /// How long a deleted one can be restored, in seconds: 30 days.
    package static let grace: TimeInterval = 30 * 86400

    package let id: ID<Tenant>
    /// In its issuer, its Return URL and its tokens: never changes.
    package let slug: String
    package let name: String
    package let plan: Plan
    package let status: Status
    /// The ID of its own connection. Nil if the shared connection serves it.
    package let connectionID: UUID?
    package let settings: Settings
    /// When a deleted one can no longer be restored.
    package let purgeAfter: Date?
    package let createdAt: Date
    package let updatedAt: Date

    package init(
        id: ID<Tenant>, slug: String, name: String, plan: Plan, status: Status, connectionID: UUID?, settings: Settings, purgeAfter: Date?,
        createdAt: Date, updatedAt: Date
    ) {
        (self.id, self.slug, self.name, self.plan, self.status) = (id, slug, name, plan, status)
        (self.connectionID, self.settings, self.purgeAfter) = (connectionID, settings, purgeAfter)
        (self.createdAt, self.updatedAt) = (createdAt, updatedAt)
    }

    /// What `isSlug` asks for, in words.
    package static let slugRule = "It must have 1 to 63 characters of a-z, 0-9 and -, and neither begin nor end with -."

    /// 1 to 63 of `a-z 0-9 -`, not beginning or ending with `-`: it stands in host-like places.
    package static func isSlug(_ text: some StringProtocol) -> Bool {
        let bytes = Array(text.utf8)
        guard (1...63).contains(bytes.count), bytes.first != UInt8(ascii: "-"), bytes.last != UInt8(ascii: "-") else { return false }
        return bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
            default: false
            }
        }
    }
}

extension Tenant {
    /// What a tenant decides for itself.
    package struct Settings: Sendable, Equatable {
        /// No session lasts longer, nor so long without a refresh, whatever its application says. Nil: what the application says.
        package var sessionSeconds, idleSeconds: Int?
        /// How long the profile of a user is kept whose Apple account is deleted.
        package var profileRetentionDays = Self.defaultProfileRetentionDays
        /// How long a signing key signs.
        package var signingKeyDays = Self.defaultSigningKeyDays

        package static let defaultProfileRetentionDays = 30
        package static let defaultSigningKeyDays = 90

        package init() {}
    }
}
