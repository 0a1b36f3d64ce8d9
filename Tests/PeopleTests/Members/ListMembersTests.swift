import Access
import Foundation
import People
import Postgres
import Sealing
import Server
import TestSupport
import Testing

@Suite("List members")
struct ListMembersTests {
    @Test("the list has the tenant's members, newest first, and no account of another tenant")
    func lists() async throws {
        try await TestPlatform.run { platform in
            let owner = try await platform.addMember("Ada", as: .builtIn(.owner))
            let viewer = try await platform.addMember("Grace", as: .builtIn(.viewer))
            _ = try await platform.addMember("Alan", of: platform.globexID)
            let page = try await platform.call("GET", "/tenants/acme/members", key: platform.acmeKey)
            #expect(page.ids == [viewer.id.description, owner.id.description])
            #expect(page.data.map { $0["role"] as? String } == ["viewer", "owner"])
            #expect(page.data.map { $0["email"] as? String } == ["grace@example.com", "ada@example.com"])
            #expect(page.data.map { $0["person_id"] as? String } == [viewer.person.description, owner.person.description])
            #expect(!page.body.contains("alan"))
            let first = try await platform.call("GET", "/tenants/acme/members?limit=1")
            #expect(
                try await platform.call("GET", "/tenants/acme/members?after=\(first.cursor("after") ?? "")").ids == [owner.id.description])
        }
    }

    @Test("a member has the number of its valid keys of this tenant")
    func keys() async throws {
        try await TestPlatform.run { platform in
            let (ada, grace) = (try await platform.addMember("Ada"), try await platform.addMember("Grace"))
            for _ in 0..<2 { try await platform.addKey(issuedBy: ada.person) }
            try await platform.addKey(issuedBy: ada.person, of: platform.globexID)
            let revoked = try await platform.addKey(issuedBy: grace.person)
            _ = try await platform.ownerPool.run("UPDATE api_key SET revoked_at = now() WHERE id = \(revoked)")
            let page = try await platform.call("GET", "/tenants/acme/members", key: platform.acmeKey)
            #expect(page.data.map { $0["api_keys"] as? Int } == [0, 2])
            let path = "/tenants/acme/members/\(ada.id)"
            #expect(try await platform.call("PATCH", path, ["role": "viewer"]).json["api_keys"] as? Int == 2)
        }
    }
}

extension TestPlatform {
    /// Adds a key that a person issued, by default of Acme.
    @discardableResult
    func addKey(issuedBy person: ID<Person>, of owner: UUID? = nil) async throws -> ID<APIKey> {
        var random = SystemRandomNumberGenerator()
        let key = ID<APIKey>(at: Date())
        _ = try await ownerPool.run(
            APIKey.insert(
                key, owner: owner ?? acmeID, name: "CI", secret: APIKey.makeSecret(live: true, using: &random), scopes: ["tenants:read"],
                issuedBy: person, keyring: settings.keyring, at: Date()))
        return key
    }
}
