import Access
import Foundation
import People
import Postgres
import Sealing
import Server
import TestSupport
import Testing

extension TestPlatform {
    var acmeID: UUID { ID<Tenant>(acme.id)!.uuid }
    var globexID: UUID { ID<Tenant>(globex.id)!.uuid }
    /// A key of Acme with every scope.
    var acmeKey: String { acme.api_keys[0].secret }

    /// Adds an account to the table.
    func addPerson(_ name: String) async throws -> ID<Person> {
        let id = ID<Person>(at: Date())
        _ = try await ownerPool.run(
            Person.insert(id, name: name, email: "\(name.lowercased())@example.com", isProved: false, at: Date()))
        return id
    }

    /// Adds a new person as a member to the table, by default of Acme.
    func addMember(
        _ name: String, as role: Role = .builtIn(.developer), of owner: UUID? = nil
    ) async throws -> (id: ID<Membership>, person: ID<Person>) {
        let (person, id) = (try await addPerson(name), ID<Membership>(at: Date()))
        _ = try await ownerPool.run(Membership.insert(id, of: person, as: role, owner: owner ?? acmeID, at: Date()))
        return (id, person)
    }

    /// Starts a session of a person, by default in a terminal, with all factors given at a time.
    func startSession(
        _ person: ID<Person>, _ kind: PersonSession.Kind = .terminal, onlyTenant: UUID? = nil, at time: Date = Date()
    ) async throws -> (id: ID<PersonSession>, secret: String) {
        var random = SystemRandomNumberGenerator()
        let (id, secret) = (ID<PersonSession>(at: time), PersonSession.makeSecret(using: &random))
        let new = PersonSession.New(
            id, of: person, kind, methods: ["pwd", "otp"], onlyTenant: onlyTenant.map { ID($0) }, userAgent: "Test", address: "203.0.113.7")
        _ = try await ownerPool.run(new.insert(secret, keyring: settings.keyring, at: time))
        return (id, secret.reveal())
    }

    /// Issues a key of Acme with these scopes and no others.
    func acmeKey(_ scopes: [String]) async throws -> String {
        try #require(try await issue("Narrow", scopes: scopes).string("secret"))
    }

    /// Issues a key of Acme with the scopes of a role.
    func acmeKey(_ role: BuiltInRole) async throws -> String {
        try await acmeKey(role.scopes.map(\.rawValue).sorted())
    }

    /// Invites a person to Acme, by default with the key of every scope.
    func invite(_ email: String, as role: String = "developer", key: String? = nil) async throws -> TestBrowser.Answer {
        try await call("POST", "/tenants/acme/invitations", key: key ?? acmeKey, ["email": email, "role": role])
    }
}

extension TestPlatform {
    /// Adds a session of a browser to the table.
    @discardableResult
    func addSession(_ person: ID<Person>) async throws -> ID<PersonSession> {
        var random = SystemRandomNumberGenerator()
        let new = PersonSession.New(ID(at: Date()), of: person, .browser, methods: ["pwd"], userAgent: nil, address: nil)
        _ = try await ownerPool.run(
            new.insert(PersonSession.makeSecret(using: &random), keyring: settings.keyring, at: Date()))
        return new.id
    }

    /// Gives a person a password, an authenticator app, a passkey, two recovery codes and a session. Nobody can use them.
    func addFactors(_ person: ID<Person>) async throws {
        let (now, bytes) = (Date(), (0..<32).map { _ in UInt8.random(in: 0...255) })
        let passkey = PersonPasskey(
            ID(at: now), of: person, credential: bytes, publicKey: bytes, aaguid: Array(bytes[..<16]), signCount: 0,
            isBackupEligible: false, isBackedUp: false, transports: [], name: "Key", at: now)
        _ = try await ownerPool.run(
            [
                Person.setPassword(Secret("$argon2id$"), of: person, keyring: settings.keyring, at: now),
                PersonTOTP.insert(ID(at: now), of: person, Secret(bytes: bytes), usedAt: 1, keyring: settings.keyring, at: now),
                passkey.insert,
            ] + StoredRecoveryCode.replace(of: person, digests: [bytes, bytes + [0]], at: now))
        try await addSession(person)
    }
}
