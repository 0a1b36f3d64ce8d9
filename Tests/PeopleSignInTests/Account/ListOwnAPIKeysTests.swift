import Access
import Foundation
import People
import Postgres
import Sealing
import Server
import TestSupport
import Testing

@Suite("List own API keys")
struct ListOwnAPIKeysTests {
    @Test("the page has the valid keys of the person in its tenants, with the tenant, and no key of others")
    func lists() async throws {
        try await TestPlatform.run { platform in
            let account = try await OwnAccount.make(platform)
            let empty = try await account.get("/account/api-keys")
            #expect(empty.status == 200 && empty.body.contains("You have issued no API keys that are still valid."))
            try await account.join(as: .admin)
            let (key, secret) = try await account.issueKey("CI <1>")
            let (revoked, _) = try await account.issueKey()
            _ = try await platform.ownerPool.run("UPDATE api_key SET revoked_at = now() WHERE id = \(revoked)")
            let other = try await OwnAccount.make(platform, "Grace")
            try await other.join(as: .owner)
            let (foreign, _) = try await other.issueKey()

            let page = try await account.get("/account/api-keys")
            #expect(page.body.contains("CI &lt;1&gt;") && page.body.contains("Acme") && page.body.contains(key.description))
            #expect(!page.body.contains(revoked.description) && !page.body.contains(foreign.description))
            #expect(page.body.contains(String(secret.suffix(4))) && !page.body.contains(secret))
            #expect(try await account.get("/account").body.contains("href=\"/account/api-keys\""))
        }
    }

    @Test("each key has the day of its end in the language of the page, or a text that it has none")
    func expiry() async throws {
        try await TestPlatform.run { platform in
            let account = try await OwnAccount.make(platform)
            try await account.join(as: .admin)
            let (key, _) = try await account.issueKey()
            #expect(try await account.get("/account/api-keys").body.contains("Does not expire"))
            _ = try await platform.ownerPool.run("UPDATE api_key SET expires_at = '2099-12-31T23:59:59Z' WHERE id = \(key)")
            let page = try await account.get("/account/api-keys")
            #expect(page.body.contains("Expires on \u{2066}2099-12-31\u{2069}") && !page.body.contains("Does not expire"))
            let german = try await account.browser.get(
                account.browser.publicURL + "/account/api-keys", headers: [("Accept-Language", "de")])
            #expect(german.body.contains("Läuft am \u{2066}2099-12-31\u{2069} ab"), "\(german.body)")
        }
    }
}

extension OwnAccount {
    /// Makes the person a member of Acme.
    func join(as role: BuiltInRole) async throws {
        let tenant = try #require(ID<Tenant>(platform.acme.id)).uuid
        _ = try await platform.ownerPool.run(
            Membership.insert(ID(at: Date()), of: id, as: .builtIn(role), owner: tenant, at: Date()))
    }

    /// Adds a key of Acme that the person issued.
    func issueKey(_ name: String = "CI") async throws -> (id: ID<APIKey>, secret: String) {
        var random = SystemRandomNumberGenerator()
        let (key, secret) = (ID<APIKey>(at: Date()), APIKey.makeSecret(live: true, using: &random))
        _ = try await platform.ownerPool.run(
            APIKey.insert(
                key, owner: try #require(ID<Tenant>(platform.acme.id)).uuid, name: name, secret: secret, scopes: ["tenants:read"],
                issuedBy: id, keyring: platform.settings.keyring, at: Date()))
        return (key, secret.reveal())
    }
}
