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
    ///   - age: the age of the sign-in in seconds.
    func member(
        _ name: String, as role: Role, of owner: UUID, age: TimeInterval = 0, onlyTenant: UUID? = nil
    ) async throws -> (id: ID<PersonSession>, person: ID<Person>, secret: String) {
        let now = Date() - age
        let (person, session) = (ID<Person>(at: now), ID<PersonSession>(at: now))
        var random = SystemRandomNumberGenerator()
        let secret = PersonSession.makeSecret(using: &random)
        let new = PersonSession.New(
            session, of: person, .terminal, methods: ["pwd", "otp"], onlyTenant: onlyTenant.map { ID($0) }, userAgent: nil, address: nil)
        _ = try await platform.ownerPool.run([
            Person.insert(person, name: name, email: "\(person)@example.com", isProved: true, at: now),
            Membership.insert(ID(at: now), of: person, as: role, owner: owner, at: now),
            new.insert(secret, keyring: platform.settings.keyring, at: now),
        ])
        return (session, person, secret.reveal())
    }
}
