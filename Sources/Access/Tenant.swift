package import Foundation
package import Postgres

/// A paying customer of the platform, isolated from all others.
package struct Tenant: Identified, Sendable {
    package static let idPrefix = "tenant"

    package enum Plan: String, Codable, CaseIterable, SQLValue {
        case free, scale, enterprise

        /// Whether the plan includes the tenant's own Apple credentials.
        package var mayBringOwnConnection: Bool { self == .enterprise }
        /// Whether the plan includes the tenant's own provider for its members.
        package var mayHaveSSO: Bool { self == .enterprise }
    }

    package enum Status: String, Codable, CaseIterable, SQLValue {
        case active, suspended
        /// Sign-ins fail and its own API keys are invalid, but it can still be restored.
        case deleted
        /// Only its name and its usage in the ledger remain.
        case purged
    }

    /// How long a deleted tenant can be restored, in seconds: 30 days.
    package static let grace: TimeInterval = 30 * 86400

    package let id: ID<Tenant>
    /// Part of its issuer, its Return URL and its tokens. It never changes.
    package let slug: String
    package let name: String
    package let plan: Plan
    package let status: Status
    /// The ID of its own connection. Nil if the shared connection serves it.
    package let connectionID: UUID?
    package let settings: Settings
    /// The end of the time for restoring a deleted tenant.
    package let purgeAfter: Date?
    package let createdAt: Date
    package let updatedAt: Date
    /// Where its users reach it. The cached configuration knows its own domains, and other readers do not.
    package var addresses = TenantAddresses()

    package init(
        id: ID<Tenant>, slug: String, name: String, plan: Plan, status: Status, connectionID: UUID?, settings: Settings, purgeAfter: Date?,
        createdAt: Date, updatedAt: Date
    ) {
        (self.id, self.slug, self.name, self.plan, self.status) = (id, slug, name, plan, status)
        (self.connectionID, self.settings, self.purgeAfter) = (connectionID, settings, purgeAfter)
        (self.createdAt, self.updatedAt) = (createdAt, updatedAt)
    }

    /// The rule of `isSlug` in words.
    package static let slugRule = "It must have 1 to 63 characters of a-z, 0-9 and -. It must not start or end with -."

    /// 1 to 63 of `a-z 0-9 -`, without `-` at the start or end, because it is used like a host name.
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

/// When the authorization endpoint shows the tenant's sign-in page before Apple's page.
package enum SignInPageUse: String, Codable, CaseIterable, SQLValue {
    case never
    /// If the request has `screen_hint`, or `prompt` with `login` or `select_account`.
    case onRequest = "on_request"
    /// In front of each sign-in with Apple in a browser.
    case always
}

/// The effect of a first sign-in with an Apple Account if another user has the same verified address.
package enum AccountLinking: String, Codable, CaseIterable, SQLValue {
    /// It creates a user.
    case off
    /// It asks the person. A person who then signs in to that user has both Apple Accounts.
    case ask
}

extension Tenant {
    /// The settings that a tenant decides on.
    package struct Settings: Sendable, Equatable {
        /// The limits of every session's lifetime and of its time without a refresh, for all applications. Nil means only the application's
        /// limit.
        package var sessionSeconds, idleSeconds: Int?
        /// How long the profile of a user is stored after the deletion of the Apple account.
        package var profileRetentionDays = Self.defaultProfileRetentionDays
        /// How long a signing key signs.
        package var signingKeyDays = Self.defaultSigningKeyDays
        /// Whether a sign-in with Apple at one application also signs the user in at the others, in the same browser.
        package var singleSignOn = false
        /// How long such a sign-in lasts in a browser, and how long without a use.
        package var browserSessionSeconds = Self.defaultBrowserSessionSeconds
        package var browserIdleSeconds = Self.defaultBrowserIdleSeconds
        /// When users see the tenant's sign-in page before Apple's page.
        package var signInPage = SignInPageUse.never
        /// The effect of a first sign-in with the verified address of another user. An older tenant has `off`, unless it decided.
        package var accountLinking = AccountLinking.ask
        /// Whether operators can start a support access.
        package var allowsSupport = true

        package static let defaultProfileRetentionDays = 30
        package static let defaultSigningKeyDays = 90
        package static let defaultBrowserSessionSeconds = 2_592_000
        package static let defaultBrowserIdleSeconds = 86_400

        package init() {}
    }
}
