import Access
import Encoding
import Foundation
import NIOHTTP1
import Postgres
import Server
@testable import Sessions
import Tenancy
import TestSupport
import Testing

@Suite("List revocations")
struct ListRevocationsTests {
    /// The feed as a resource server reads it.
    private struct Reader {
        let platform: TestPlatform
        let authorization: String
        let slug: String

        init(_ platform: TestPlatform, _ tenant: SeedResult.TenantResult, id: String, secret: String) {
            (self.platform, slug) = (platform, tenant.slug)
            authorization = "Basic \(Data("\(id):\(secret)".utf8).base64EncodedString())"
        }

        /// A reader that is registered as a machine.
        static func machine(_ platform: TestPlatform, _ tenant: SeedResult.TenantResult) async throws -> Reader {
            let made = try await platform.call(
                "POST", "/tenants/\(tenant.slug)/applications", ["name": "API", "kind": "machine", "redirect_uris": [String]()])
            return Reader(platform, tenant, id: try #require(made.string("id")), secret: try #require(made.string("client_secret")))
        }

        func read(_ query: String = "") async throws -> TestBrowser.Answer {
            try await TestBrowser(platform).get(
                "\(TestPlatform.publicURL)/t/\(slug)/revocations\(query)", headers: [("Authorization", authorization)])
        }

        func read(after: String) async throws -> TestBrowser.Answer { try await read("?after=\(after)") }
    }

    @Test("it lists an ended session, and a user who was signed out everywhere")
    func named() async throws {
        try await TestPlatform.run { platform in
            let reader = try await Reader.machine(platform, platform.acme)
            let (one, other) = (try await platform.login(), try await platform.login())
            #expect(try await reader.read().data.isEmpty)
            #expect(try await platform.call("POST", "/tenants/acme/sessions/\(one.session)/revoke").status == 200)
            #expect(try await platform.call("POST", "/tenants/acme/users/\(other.user)/sessions/revoke").status == 200)

            let answer = try await reader.read()
            #expect(answer.status == 200)
            #expect(answer.header("Cache-Control") == "no-store")
            #expect(answer.json["has_more"] as? Bool == false)
            let sessions = answer.data.filter { $0["type"] as? String == "session" }
            #expect(sessions.map { $0["sid"] as? String } == [one.session, other.session])
            #expect(sessions.map { $0["sub"] as? String } == [one.user, other.user])
            let users = answer.data.filter { $0["type"] as? String == "user" }
            #expect(users.map { $0["sub"] as? String } == [other.user])
            #expect(users.allSatisfy { $0["sid"] == nil && ($0["revoked_at"] as? String)?.hasSuffix("Z") == true })
        }
    }

    @Test("it is read page by page to its end, and continues from there")
    func pages() async throws {
        try await TestPlatform.run { platform in
            let reader = try await Reader.machine(platform, platform.acme)
            var ended: [String] = []
            for _ in 0..<5 {
                let login = try await platform.login()
                _ = try await platform.call("POST", "/tenants/acme/sessions/\(login.session)/revoke")
                ended.append(login.session)
            }
            var (seen, query, more): ([String], String, Bool) = ([], "?limit=2", true)
            while more {
                let page = try await reader.read(query)
                #expect(page.data.count <= 2)
                seen += page.data.compactMap { $0["sid"] as? String }
                more = try #require(page.json["has_more"] as? Bool)
                query = "?limit=2&after=\(try #require(page.cursor("after")))"
            }
            #expect(seen == ended)
        }
    }

    @Test("an entry that becomes visible late is listed, although later entries were listed before", arguments: [1, 100])
    func late(limit: Int) async throws {
        try await TestPlatform.run { platform in
            let reader = try await Reader.machine(platform, platform.acme)
            let (slow, quick) = (try await platform.login(), try await platform.login())
            let tenant = ID<Tenant>(platform.acme.id)!
            let cursor = try await OwnerDatabase(platform.pool, tenant: tenant).transaction { db -> String in
                // The entry is recorded but not committed.
                _ = try await db.run(
                    """
                    UPDATE session SET ended_at = now(), ended_reason = 'revoked'
                    WHERE tenant_id = \(tenant) AND id = \(ID<Session>(slow.session)!)
                    """)
                #expect(try await platform.call("POST", "/tenants/acme/sessions/\(quick.session)/revoke").status == 200)
                var answer = try await reader.read("?limit=\(limit)")
                #expect(answer.data.compactMap { $0["sid"] as? String } == [quick.session])
                while answer.json["has_more"] as? Bool == true {
                    answer = try await reader.read("?limit=\(limit)&after=\(answer.cursor("after") ?? "")")
                }
                return answer.cursor("after") ?? ""
            }
            let reported = try await reader.read(after: cursor).data.compactMap { $0["sid"] as? String }
            #expect(reported.contains(slow.session))
        }
    }

    @Test("an entry that affects no valid token is not listed, and is deleted")
    func old() async throws {
        try await TestPlatform.run { platform in
            let reader = try await Reader.machine(platform, platform.acme)
            let login = try await platform.login()
            _ = try await platform.call("POST", "/tenants/acme/sessions/\(login.session)/revoke")
            _ = try await platform.ownerPool.run("UPDATE revocation SET recorded_at = recorded_at - interval '24 hours'")
            try await Revocations.forgetOld(in: PlatformDatabase(platform.pool))
            #expect(try await reader.read().data.count == 1)
            _ = try await platform.ownerPool.run("UPDATE revocation SET recorded_at = recorded_at - interval '61 minutes'")
            #expect(try await reader.read().data.isEmpty)
            try await Revocations.forgetOld(in: PlatformDatabase(platform.pool))
            #expect(try await platform.count("revocation") == 0)
        }
    }

    @Test("a web application reads its own sessions, another tenant's application none")
    func whose() async throws {
        try await TestPlatform.run { platform in
            let (own, other) = (try await platform.login(application: 0), try await platform.login(application: 1))
            for login in [own, other] { _ = try await platform.call("POST", "/tenants/acme/sessions/\(login.session)/revoke") }
            let application = platform.acme.applications[0]
            let reader = Reader(platform, platform.acme, id: application.client_id, secret: try #require(application.client_secret))
            #expect(try await reader.read().data.compactMap { $0["sid"] as? String } == [own.session])

            let stranger = try await Reader.machine(platform, platform.globex)
            #expect(try await stranger.read().data.isEmpty)
            let intruder = Reader(platform, platform.acme, id: application.client_id, secret: "eas_wrong")
            let refused = try await intruder.read()
            #expect(refused.isOAuthError(401, "invalid_client"))
            #expect(refused.header("WWW-Authenticate")?.hasPrefix("Basic") == true)
            // A public application cannot authenticate.
            let anonymous = try await TestBrowser(platform).get("\(platform.acme.issuer)/revocations?client_id=x")
            #expect(anonymous.status == 401)
            #expect(try await reader.read(after: "nonsense").isProblem(400, "invalid"))
            // These cursors are made up. No database has their times.
            for time in [Int64.min, -1, .max] {
                let bytes = withUnsafeBytes(of: time.bigEndian, Array.init)
                let cursor = (bytes + [UInt8](repeating: 0, count: 16) + bytes).base64URL
                #expect(try await reader.read(after: cursor).isProblem(400, "invalid"), "\(time)")
            }
            #expect(try await reader.read("?limit=1001").isProblem(400, "invalid"))
        }
    }

    @Test("an application with private_key_jwt gets the reason that the feed accepts only a secret")
    func ownKey() async throws {
        try await TestPlatform.run { platform in
            let application = platform.acme.applications[0]
            let reader = Reader(platform, platform.acme, id: application.client_id, secret: try #require(application.client_secret))
            #expect(try await reader.read().status == 200)
            let keys: [String: any Sendable] = [
                "token_endpoint_auth_method": "private_key_jwt", "jwks": try ClientKey.set(ClientKey()),
            ]
            #expect(try await platform.call("PATCH", "/tenants/acme/applications/\(application.client_id)", keys).status == 200)
            platform.installation.directory.forgetAll(isFresh: true)
            let refused = try await reader.read()
            #expect(refused.isOAuthError(401, "invalid_client"))
            #expect(refused.string("error_description")?.contains("only a secret") == true, "\(refused.body)")
        }
    }

    /// Under row-level security, PostgreSQL uses an index only for leakproof functions. Without the index, a reader that polls every second
    /// would read the entries of a whole day each time.
    @Test("an index finds the entries after a cursor, with the query of the server's role")
    func index() async throws {
        try await TestPlatform.run(on: .make()) { platform in
            let tenant = try #require(ID<Tenant>(platform.acme.id))
            let application = try #require(try await platform.configuration(of: platform.acme).applications.values.first)
            let page = Revocations.page(after: Revocations.beginning(at: Date()), of: tenant, for: application, limit: 10)
            let (none, owner) = ("'\(UUID.platform)'::uuid", tenant.uuid.uuidString.lowercased())
            var text = page.text
            for (number, value) in ["'\(owner)'", "'2026-11-21T00:00:00Z'", none, none, none, "10"].enumerated() {
                text = text.replacing("$\(number + 1)", with: value)
            }
            let plan = try await platform.pool.run(
                SQL(unsafe: "EXPLAIN \(text)"), prelude: ["SELECT set_config('espalier.tenant', \(owner), true)"]
            ).map { try $0.get("QUERY PLAN", as: String.self) }
            #expect(plan.contains { $0.contains("Index Cond") && $0.contains("recorded_at") }, "\(plan)")
        }
    }
}
