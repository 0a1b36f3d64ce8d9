import Access
import Foundation
import People
import Postgres
import Sealing
import Server
import TestSupport

/// People with sessions of terminals, beside the API keys of `Keys`.
struct PeopleCallers: Sendable {
    private let platform: TestPlatform

    init(_ platform: TestPlatform) {
        self.platform = platform
    }

    /// Adds a person with a role, and starts a session.
    /// - Parameters:
    ///   - owner: the tenant, or the platform for an operator.
    ///   - kind: only a session of a terminal is a bearer token.
    ///   - age: the age of the session, of its last use and of the sign-in, in seconds.
    ///   - others: further memberships of the person.
    func member(
        _ name: String, as role: Role, of owner: UUID, _ kind: PersonSession.Kind = .terminal, age: TimeInterval = 0,
        onlyTenant: UUID? = nil, others: [(role: Role, owner: UUID)] = []
    ) async throws -> (id: ID<PersonSession>, person: ID<Person>, secret: String) {
        let now = Date() - age
        let (person, session) = (ID<Person>(at: now), ID<PersonSession>(at: now))
        var random = SystemRandomNumberGenerator()
        let secret = PersonSession.makeSecret(using: &random)
        let new = PersonSession.New(
            session, of: person, kind, methods: ["pwd", "otp"], onlyTenant: onlyTenant.map { ID($0) }, userAgent: nil, address: nil)
        _ = try await platform.ownerPool.run(
            [Person.insert(person, name: name, email: "\(person)@example.com", isProved: true, at: now)]
                + ([(role, owner)] + others).map { Membership.insert(ID(at: now), of: person, as: $0.0, owner: $0.1, at: now) }
                + [new.insert(secret, keyring: platform.settings.keyring, at: now)])
        return (session, person, secret.reveal())
    }

    /// Adds a person whose role in a tenant has every scope except this one.
    func lacking(_ scope: String, in tenant: UUID) async throws -> String {
        let (role, scopes) = (ID<CustomRole>(at: Date()), APIKey.Scope.allCases.map(\.rawValue).filter { $0 != scope })
        _ = try await platform.ownerPool.run(
            """
            INSERT INTO custom_role (tenant_id, id, name, scopes, created_at, updated_at)
            VALUES (\(tenant), \(role), \("Lacks \(scope)"), \(scopes), now(), now())
            """)
        return try await member("Lacks \(scope)", as: .custom(role), of: tenant).secret
    }
}
