package import Foundation

/// A person with a valid session. The tenant of the request then decides on the permissions (`caller(for:)`).
package struct SignedInPerson: Sendable {
    package let session: PersonSession
    /// The scopes of each membership, by its owner: a tenant, or the platform.
    package let memberships: [UUID: Set<APIKey.Scope>]

    /// - Parameter memberships: of the person. A session for only one tenant uses no other.
    package init(_ session: PersonSession, memberships: [UUID: Set<APIKey.Scope>]) {
        self.session = session
        self.memberships = memberships.filter { owner, _ in session.onlyTenant.map { $0.uuid == owner } ?? true }
    }

    /// The tenant that a request names.
    package enum Wanted: Sendable {
        /// Nil if the tenant does not exist.
        case tenant(ID<Tenant>?)
        /// The request names none.
        case unnamed
    }

    /// The person as a caller: as a member of the tenant, or else as an operator. Without a name, an operator acts for the platform, and a
    /// member of one tenant acts for it. Otherwise the caller acts for nobody, and gets the responses for a caller of another tenant.
    package func caller(for wanted: Wanted) -> Caller {
        let named: UUID? =
            switch wanted {
            case .tenant(let tenant): tenant?.uuid
            case .unnamed: memberships[.platform] == nil && memberships.count == 1 ? memberships.keys.first : nil
            }
        let actor = Actor.person(session.person, session: session.id, support: nil)
        for owner in [named, .platform].compactMap({ $0 }) {
            guard let scopes = memberships[owner] else { continue }
            return Caller(actor, scopes: scopes, owner: owner, authenticatedAt: session.authenticatedAt)
        }
        return nobody
    }

    /// The person before the tenant of the request is known.
    package var nobody: Caller {
        Caller(
            .person(session.person, session: session.id, support: nil), scopes: [], owner: session.person.uuid,
            authenticatedAt: session.authenticatedAt)
    }
}
