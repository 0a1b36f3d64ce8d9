package import Foundation

/// A person with a valid session. The tenant of the request then decides on the permissions (`caller(for:)`).
package struct SignedInPerson: Sendable {
    package let session: PersonSession
    /// The scopes of each membership, by its owner: a tenant, or the platform.
    package let memberships: [UUID: Set<APIKey.Scope>]
    /// The support accesses of an operator, by their tenants.
    private let supports: [UUID: SupportAccess]

    /// - Parameters:
    ///   - memberships: of the person. A session for only one tenant uses no other.
    ///   - supports: the support accesses of the person that nobody has ended.
    package init(_ session: PersonSession, memberships: [UUID: Set<APIKey.Scope>], supports: [UUID: SupportAccess]) {
        (self.session, self.supports) = (session, supports)
        self.memberships = memberships.filter { owner, _ in session.onlyTenant.map { $0.uuid == owner } ?? true }
    }

    /// The tenant that a request names.
    package enum Wanted: Sendable {
        /// In the path. Nil if the tenant does not exist.
        case path(Tenant?)
        /// In the header, because the path names none.
        case header(ID<Tenant>?)
        case unnamed
    }

    /// The person as a caller: as a member of the tenant, or else as an operator. Without a name, an operator acts for the platform, and a
    /// member of one tenant acts for it. Otherwise the caller acts for nobody, and gets the responses for a caller of another tenant.
    package func caller(for wanted: Wanted, at now: Date) -> Caller {
        let named: UUID? =
            switch wanted {
            case .path(let tenant): tenant?.id.uuid
            case .header(let tenant): tenant?.uuid
            case .unnamed: memberships[.platform] == nil && memberships.count == 1 ? memberships.keys.first : nil
            }
        if let named, let scopes = memberships[named] { return caller(scopes, owner: named) }
        guard let scopes = memberships[.platform] else { return nobody }
        // The data of a tenant is its own, so an operator needs the tenant's consent.
        guard case .path(let tenant?) = wanted else { return caller(scopes, owner: .platform) }
        let support = supports[tenant.id.uuid].flatMap { $0.isActive(at: now) && tenant.settings.allowsSupport ? $0 : nil }
        let permitted = support == nil ? SupportAccess.scopesWithout : SupportAccess.scopes
        return caller(scopes.intersection(permitted), owner: .platform, during: support?.id)
    }

    private func caller(_ scopes: Set<APIKey.Scope>, owner: UUID, during support: ID<SupportAccess>? = nil) -> Caller {
        Caller(
            .person(session.person, session: session.id, support: support), scopes: scopes, owner: owner,
            authenticatedAt: session.authenticatedAt)
    }

    /// The person before the tenant of the request is known.
    package var nobody: Caller {
        caller([], owner: session.person.uuid)
    }
}
