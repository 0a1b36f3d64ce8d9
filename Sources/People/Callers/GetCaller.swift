import Access
import Foundation
import Hummingbird
import Postgres
import Web

/// A caller as it sees itself.
private struct Reply: Encodable {
    struct Session: Encodable {
        let id: ID<PersonSession>
        let kind: PersonSession.Kind
        let methods: [String]
        let authenticated_at, expires_at: Date
    }

    struct Support: Encodable {
        let id: ID<SupportAccess>
        let ends_at: Date
    }

    struct Membership: Encodable {
        let id: ID<People.Membership>
        /// Absent for an operator, who is a member of the platform.
        let tenant_id: ID<Tenant>?
        let tenant: String?
        let role: String
    }

    let object = "caller"
    /// The actor in the audit trail.
    let actor: String
    let name: String
    let email: String?
    let is_operator: Bool
    /// The tenant that the caller acts for. An operator acts for the one that the request names.
    let tenant_id: ID<Tenant>?
    let tenant: String?
    let role: String?
    let scopes: [String]
    let session: Session?
    /// The running one of an operator, in the tenant that the request names.
    let support_access: Support?
    let memberships: [Membership]?
}

extension CallerRoutes {
    /// Shows the caller: its name, the tenant that it acts for, and its permissions there. A person also sees its session and memberships.
    /// An operator who is a person sees its permissions in the tenant that the request names, and its support access there.
    @Sendable
    func getCaller(_ request: Request, _ call: CallerContext) async throws -> Response {
        _ = try Query(request)
        let caller = call.caller
        switch caller.actor {
        case .key(let id):
            guard
                let key = try await OwnerDatabase(pool, owner: caller.owner).run(ShownAPIKey.find(id, owner: caller.owner))
                    .first(ShownAPIKey.init)
            else { throw Problem.notFound("API key") }
            return try .json(
                Reply(
                    actor: id.description, name: key.name, email: nil, is_operator: caller.isOperator, tenant_id: call.tenant?.id,
                    tenant: call.tenant?.slug, role: nil, scopes: sorted(caller.scopes), session: nil, support_access: nil,
                    memberships: nil))
        case .person(let id, let session, _):
            let (people, sessions, found) = try await PlatformDatabase(pool, for: .showPerson).run(
                Person.find(id), PersonSession.find(session), Membership.all(of: id))
            guard let person = try people.first(Person.init), let session = try sessions.first(PersonSession.init)
            else { throw Problem.unauthenticated }
            var (memberships, role): ([Reply.Membership], Role?) = ([], nil)
            for row in found {
                let (owner, member) = (try row.get("tenant_id", as: UUID.self), try Membership(row))
                guard session.onlyTenant.map({ $0.uuid == owner }) ?? true else { continue }
                if owner == caller.owner { role = member.role }
                let tenant = owner == .platform ? nil : try await findTenant(ID(owner))
                memberships.append(
                    Reply.Membership(id: member.id, tenant_id: tenant?.id, tenant: tenant?.slug, role: member.role.description))
            }
            let (tenant, support) = (call.tenant ?? call.named, try await support(of: id, call))
            // A request that names the tenant in its header acts for the platform. These are the scopes of one that has it in its path.
            let permitted = support == nil ? SupportAccess.scopesWithout : SupportAccess.scopes
            let scopes = call.named == nil ? caller.scopes : caller.scopes.intersection(permitted)
            return try .json(
                Reply(
                    actor: id.description, name: person.name, email: person.email, is_operator: caller.isOperator,
                    tenant_id: tenant?.id, tenant: tenant?.slug, role: role?.description, scopes: sorted(scopes),
                    session: Reply.Session(
                        id: session.id, kind: session.kind, methods: session.methods, authenticated_at: session.authenticatedAt,
                        expires_at: session.expiresAt), support_access: support, memberships: memberships))
        }
    }

    private func sorted(_ scopes: Set<APIKey.Scope>) -> [String] { scopes.map(\.rawValue).sorted() }

    private func support(of person: ID<Person>, _ call: CallerContext) async throws -> Reply.Support? {
        guard let tenant = call.named, tenant.settings.allowsSupport else { return nil }
        let open = try await OwnerDatabase(pool, tenant: tenant.id).run(SupportAccess.open(of: person, in: tenant.id))
            .first(SupportAccess.init)
        return open.flatMap { $0.isActive(at: now()) ? Reply.Support(id: $0.id, ends_at: $0.endsAt) : nil }
    }
}
