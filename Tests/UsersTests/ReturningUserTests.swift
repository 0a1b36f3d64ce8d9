import Access
import Foundation
import Postgres
import Server
import Tenancy
import TestSupport
import Testing
@testable import Users

/// A sign-in of a known user: what it writes, and what it must not lose.
@Suite("Returning user")
struct ReturningUserTests {
    /// The versions of the user's rows. Each write changes them.
    private static func versions(_ platform: TestPlatform) async throws -> [String] {
        try await platform.ownerPool.run(
            """
            SELECT i.xmin::text || '/' || i.ctid::text || ' ' || u.xmin::text || '/' || u.ctid::text AS version
            FROM identity i JOIN tenant_user u ON u.tenant_id = i.tenant_id AND u.id = i.user_id ORDER BY i.created_at
            """
        ).map { try $0.get("version") }
    }

    private static func sealedRefreshToken(_ platform: TestPlatform) async throws -> [UInt8]? {
        try await platform.ownerPool.run("SELECT sealed_refresh_token FROM identity").first {
            try $0.get("sealed_refresh_token", as: [UInt8]?.self)
        } ?? nil
    }

    @Test("a sign-in without a change writes neither the user nor the identity, and its session records the identity and the time")
    func unchanged() async throws {
        try await TestPlatform.run { platform in
            let first = try await platform.login("Grace Hopper")
            // The reply shows whole seconds.
            _ = try await platform.ownerPool.run([
                "UPDATE identity SET last_login_at = last_login_at - interval '1 minute'",
                "UPDATE session SET created_at = created_at - interval '1 minute'",
            ])
            let (before, shown) = (try await Self.versions(platform), try await platform.call("GET", "/tenants/acme/users/\(first.user)"))
            let second = try await platform.login("Grace Hopper")
            #expect(second.user == first.user)
            #expect(try await Self.versions(platform) == before)
            let after = try await platform.call("GET", "/tenants/acme/users/\(first.user)")
            #expect(after.string("updated_at") == shown.string("updated_at"))

            func lastLogin(_ answer: TestBrowser.Answer) throws -> String {
                try #require((answer.json["identities"] as? [[String: any Sendable]])?.first?["last_login_at"] as? String)
            }
            // Both are in UTC and of the same form.
            let times = (try lastLogin(shown), try lastLogin(after))
            #expect(times.0 < times.1)
            let sessions = try await platform.ownerPool.run(
                "SELECT apple_team_id, vouched_at IS NOT NULL AS is_vouched FROM session"
            ).map { (try $0.get("apple_team_id", as: String.self), try $0.get("is_vouched", as: Bool.self)) }
            #expect(sessions.map(\.0) == [platform.own.team, platform.own.team])
            #expect(sessions.map(\.1) == [true, true])
        }
    }

    @Test("Apple's refresh token is replaced after 30 days, for another client, and if there is none")
    func renewal() async throws {
        try await TestPlatform.run { platform in
            _ = try await platform.login("Grace Hopper")
            for change in [
                "last_login_at = now() - interval '30 days'", "apple_client_id = 'com.example.other'", "sealed_refresh_token = NULL",
            ] {
                _ = try await platform.ownerPool.run(SQL(unsafe: "UPDATE identity SET \(change)"))
                let before = try await Self.sealedRefreshToken(platform)
                _ = try await platform.login("Grace Hopper")
                let after = try await Self.sealedRefreshToken(platform)
                #expect(after != nil)
                #expect(after != before, "\(change)")
                #expect(try await platform.count("identity", where: "apple_client_id = '\(platform.own.servicesID)'") == 1)
                // It is fresh now.
                _ = try await platform.login("Grace Hopper")
                #expect(try await Self.sealedRefreshToken(platform) == after)
            }
        }
    }

    @Test("a new consent stores its refresh token, even if the notification of the revocation was lost")
    func newConsent() async throws {
        try await TestPlatform.run { platform in
            _ = try await platform.login("Grace Hopper")
            let before = try await Self.sealedRefreshToken(platform)
            // Apple sends the field again. The browser can empty the name.
            for field in [#"{"name":{"firstName":"Grace","lastName":"Hopper"}}"#, #"{"name":{}}"#] {
                let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
                var form = try await browser.atApple(try await browser.authorize(request), person: "Grace Hopper")
                form["user"] = field
                #expect(try await browser.callback(form)["code"] != nil)
                #expect(try await Self.sealedRefreshToken(platform) != before)
            }
        }
    }

    @Test("a deleted user's code gets no tokens and costs nothing, and the person becomes a new user")
    func deletedBeforeTheToken() async throws {
        // Without background work, because a late revocation at Apple would end the new consent, too.
        try await TestPlatform.run({ $0.outboxConcurrency = 0 }) { platform in
            let known = try await platform.login("Grace Hopper")
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let code = try await browser.code(request, person: "Grace Hopper")
            #expect(try await platform.call("DELETE", "/tenants/acme/users/\(known.user)").status == 204)
            #expect(try await browser.redeem(code, request).isOAuthError(400, "invalid_grant"))
            #expect(try await platform.count("session") == 0)
            #expect(try await platform.countBilled() == 1)
            #expect(try await platform.login("Grace Hopper").user != known.user)
        }
    }

    @Test("an unchanged user is recognized by the bytes of the address, and only while the account exists")
    func recognition() async throws {
        try await TestPlatform.run { platform in
            let known = try await platform.login("Grace Hopper")
            let before = try await Self.versions(platform)
            for change in [
                "email = upper(email)", "email_verified = NOT email_verified", "is_private_email = NOT is_private_email", "email = NULL",
            ] {
                _ = try await platform.ownerPool.run(SQL(unsafe: "UPDATE tenant_user SET \(change)"))
                let changed = try await Self.versions(platform)
                #expect(try await platform.login("Grace Hopper").user == known.user)
                #expect(try await Self.versions(platform) != changed, "\(change)")
                #expect(try await platform.count("tenant_user", where: "email = 'grace-hopper@example.com'") == 1, "\(change)")
            }
            #expect(try await Self.versions(platform) != before)
        }
    }
}
