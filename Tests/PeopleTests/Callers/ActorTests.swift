import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("Actors")
struct ActorTests {
    @Test("an act of a person has the person, the session and the address in the trail, and one of a key has no session")
    func trail() async throws {
        try await TestPlatform.run { platform in
            let (_, person) = try await platform.addMember("Ada", as: .builtIn(.owner))
            let session = try await platform.startSession(person)
            let role = try await platform.call(
                "POST", "/tenants/acme/roles", key: session.secret, ["name": "Desk", "scopes": ["users:read"]])
            #expect(role.status == 201)
            _ = try await platform.call("POST", "/tenants/acme/roles", key: platform.acmeKey, ["name": "Other", "scopes": ["users:read"]])
            let rows = try await platform.ownerPool.run(
                "SELECT actor, session_id, address FROM audit_event WHERE action = 'createRole' ORDER BY sequence")
            #expect(try rows.map { try $0.get("session_id", as: String?.self) } == [session.id.description, nil])
            #expect(try rows[0].get("actor", as: String.self) == person.description)
            #expect(try rows[0].get("address", as: String?.self) != nil)
            let trail = try await AuditTrail.verify(platform.acmeID, in: PlatformDatabase(platform.pool, for: .command))
            #expect(trail.breaks == [])
        }
    }

    @Test("a key names the person who issued it")
    func issuer() async throws {
        try await TestPlatform.run { platform in
            let (_, person) = try await platform.addMember("Ada", as: .builtIn(.owner))
            let (_, secret) = try await platform.startSession(person)
            let key = try await platform.call("POST", "/tenants/acme/api-keys", key: secret, ["name": "x", "scopes": ["users:read"]])
            #expect(key.status == 201 && key.string("issued_by") == person.description)
            let other = try await platform.call(
                "POST", "/tenants/acme/api-keys", key: platform.acmeKey, ["name": "y", "scopes": ["users:read"]])
            #expect(other.status == 201 && other.json["issued_by"] == nil)
        }
    }
}
