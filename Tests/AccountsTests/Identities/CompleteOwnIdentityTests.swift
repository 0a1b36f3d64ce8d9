import Foundation
import NIOHTTP1
import Postgres
import Server
import Tenancy
import TestSupport
import Testing
import Users

@Suite("Complete own identity")
struct CompleteOwnIdentityTests {
    @Test("the session that asked adds the Apple Account, once, with a record")
    func completed() async throws {
        try await Linking.run(["account_linking": "off"]) { linking in
            let platform = linking.platform
            try await platform.subscribe(platform.acme)
            let result = try await linking.confirm()
            let added = try await linking.complete(result)
            #expect(added.status == 201 && added.header("Cache-Control") == "no-store", "\(added.body)")
            #expect(try await linking.own("GET").ids.contains(added.resourceID))
            for person in [linking.first, linking.second] {
                #expect(try await platform.login(person).user == linking.owner.user)
            }
            #expect(try await linking.owner.lasts())
            #expect(try await platform.count("identity", where: "sealed_refresh_token IS NULL OR is_asserted") == 0)
            #expect(try await platform.user(linking.owner.user)?.givenName == "First")
            // The response was lost.
            #expect(try await linking.complete(result).resourceID == added.resourceID)
            let audited = try await platform.audited("completeOwnIdentity")
            #expect(audited.map(\.subject) == [linking.owner.user])
            #expect(audited.map(\.actor) == [linking.owner.request.application.client_id])
            #expect(try await platform.events("user.identity_added").count == 1)
        }
    }

    @Test("the name that Apple sends with the other Apple Account is stored, if the user has none")
    func name() async throws {
        try await Linking.run { linking in
            _ = try await linking.platform.ownerPool.run("UPDATE tenant_user SET given_name = NULL, family_name = NULL")
            #expect(try await linking.complete(try await linking.confirm()).status == 201)
            let user = try #require(try await linking.platform.user(linking.owner.user))
            #expect(user.givenName == "Second" && user.familyName == "Owner")
        }
    }

    @Test("Apple's word is stored for an identity that only the tenant asserted, and for one whose consent had ended")
    func proven() async throws {
        try await Linking.run { linking in
            let platform = linking.platform
            let form = try await linking.browser.atApple(try await linking.browser.authorize(linking.request), person: linking.second)
            let subject = try #require(try claims(of: form["id_token"])["sub"] as? String)
            let added = try await platform.call(
                "POST", "/tenants/acme/users/\(linking.owner.user)/identities", ["team_id": platform.own.team, "subject": subject])
            #expect(try await platform.count("identity", where: "sealed_refresh_token IS NULL AND is_asserted") == 1)
            for _ in 0..<2 {
                let answer = try await linking.complete(try await linking.confirm())
                #expect(answer.status == 201 && answer.resourceID == added.resourceID, "\(answer.body)")
                #expect(answer.string("last_login_at") != nil && answer.string("consent_ended_at") == nil)
                let missing = "sealed_refresh_token IS NULL OR vouched_at IS NULL OR is_asserted OR revoked_at IS NOT NULL"
                #expect(try await platform.count("identity", where: missing) == 0)
                _ = try await platform.ownerPool.run(
                    "UPDATE identity SET revoked_at = now() - interval '1 hour', sealed_refresh_token = NULL WHERE apple_sub = \(subject)")
            }
            // A result from before the end of the consent does not undo it, and a deleted Apple Account stays deleted.
            for end in ["now() + interval '1 hour'", "'infinity'"] {
                let result = try await linking.confirm()
                _ = try await platform.ownerPool.run(
                    SQL(unsafe: "UPDATE identity SET revoked_at = \(end) WHERE apple_sub = '\(subject)'"))
                #expect(try await linking.complete(result).isProblem(409, "conflict"))
                #expect(try await platform.count("identity", where: "revoked_at IS NOT NULL") == 1)
            }
            #expect(try await linking.identities() == 2)
        }
    }

    @Test("an Apple Account of another user stays there")
    func taken() async throws {
        try await Linking.run(["account_linking": "off"]) { linking in
            let other = try await linking.platform.login(linking.second)
            let answer = try await linking.complete(try await linking.confirm())
            #expect(answer.isProblem(409, "already_exists"), "\(answer.body)")
            #expect(try await linking.platform.login(linking.second).user == other.user)
            #expect(try await linking.identities() == 1)
        }
    }

    @Test("two requests at once add one identity")
    func atOnce() async throws {
        try await Linking.run { linking in
            let result = try await linking.confirm()
            let ids = try await withThrowingTaskGroup(of: String.self) { tasks in
                for _ in 0..<4 { tasks.addTask { try await linking.complete(result).resourceID } }
                return try await tasks.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(ids.count == 1)
            #expect(try await linking.identities() == 2)
            #expect(try await linking.platform.audited("completeOwnIdentity").count == 1)
        }
    }

    @Test("another user, another session, an ended one, and a made-up or altered result add nothing")
    func refused() async throws {
        try await Linking.run { linking in
            let platform = linking.platform
            let result = try await linking.confirm()
            let ada = try await platform.login("Ada Lovelace")
            let again = try await platform.login(linking.first)
            for token in [ada.access, again.access] {
                #expect(try await linking.complete(result, token: token).isProblem(400, "invalid"))
            }
            for other in ["x", result + "x", String(result.dropLast(2)), result + "\u{301}", String(repeating: "a", count: 4097)] {
                #expect(try await linking.complete(other).isProblem(400, "invalid"), "\(other.prefix(20))")
            }
            #expect(try await linking.own("POST", "/completion", [:]).isProblem(400, "invalid"))
            #expect(try await linking.complete(result, token: "x").isOAuthError(401, "invalid_token"))
            #expect(try await linking.complete(result, of: platform.globex).isOAuthError(401, "invalid_token"))
            #expect(try await platform.call("POST", "/tenants/acme/sessions/\(linking.owner.session)/revoke").status == 200)
            #expect(try await linking.complete(result).isOAuthError(401, "invalid_token"))
            #expect(try await linking.identities() == 1)
        }
    }

    @Test("the first refresh token of an identity that the user has already is stored, and revoked with it")
    func firstToken() async throws {
        try await withRestingOutbox { platform in
            let linking = try await Linking.make(platform)
            #expect(try await linking.user(linking.link(linking.page())) == linking.owner.user)
            // As after native sign-ins without a code.
            _ = try await platform.ownerPool.run(
                "UPDATE identity SET sealed_refresh_token = NULL, apple_client_id = 'com.example.app', vouched_at = NULL")
            let answer = try await linking.complete(try await linking.confirm())
            #expect(answer.status == 201, "\(answer.body)")
            let stored = "sealed_refresh_token IS NOT NULL AND vouched_at IS NOT NULL AND apple_client_id = '\(platform.own.servicesID)'"
            #expect(try await platform.count("identity", where: stored) == 1)
            #expect(try await linking.own("DELETE", "/\(answer.resourceID)").status == 204)
            #expect(try await platform.runRevocations() == 1)
            #expect(try await !platform.consents(linking.second, to: platform.own.team))
        }
    }

    @Test("after an identity that the tenant added is proven, the person can remove the other one")
    func provenAlternative() async throws {
        try await Linking.run { linking in
            let form = try await linking.browser.atApple(try await linking.browser.authorize(linking.request), person: linking.second)
            let subject = try #require(try claims(of: form["id_token"])["sub"] as? String)
            let first = try #require(try await linking.own("GET").ids.first)
            let added = try await linking.platform.call(
                "POST", "/tenants/acme/users/\(linking.owner.user)/identities", ["team_id": linking.platform.own.team, "subject": subject])
            #expect(added.status == 201, "\(added.body)")
            #expect(try await linking.own("DELETE", "/\(first)").isProblem(409, "conflict"))
            #expect(try await linking.complete(try await linking.confirm()).status == 201)
            #expect(try await linking.own("DELETE", "/\(first)").status == 204)
        }
    }
}
