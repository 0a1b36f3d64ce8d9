import Access
@testable import Accounts
import Foundation
import Postgres
import Server
import Tenancy
import TestSupport
import Testing
@testable import Users

@Suite("Remove identity")
struct RemoveIdentityTests {
    /// The ID of the identity that was added last.
    static func newest(_ linking: Linking) async throws -> String {
        let details = try await linking.platform.call("GET", "/tenants/acme/users/\(linking.owner.user)")
        let identities = details.json["identities"] as? [[String: any Sendable]]
        return try #require(identities?.last?["id"] as? String)
    }

    @Test("its sessions end, Apple revokes its consent, and a sign-in with it is a new person; the other Apple Account stays")
    func removed() async throws {
        try await Linking.run(["account_linking": "ask"]) { linking in
            let platform = linking.platform
            #expect(try await linking.user(linking.link(linking.page())) == linking.owner.user)
            try await platform.subscribe(platform.acme)
            let login = try await platform.login(linking.second)
            let path = "/tenants/acme/users/\(linking.owner.user)/identities"
            let id = try await Self.newest(linking)
            #expect(try await platform.call("DELETE", "\(path)/\(id)", key: platform.acme.api_keys[0].secret).status == 204)
            #expect(try await platform.call("DELETE", "\(path)/\(id)").isProblem(404, "not_found"))
            // A session does not record which of the two it started with.
            for login in [login, linking.owner] { #expect(try await login.isOver()) }
            try await eventually("Apple has confirmed it") { try await !platform.consents(linking.second, to: platform.own.team) }
            #expect(try await platform.consents(linking.first, to: platform.own.team))
            try await eventually("the record is complete") { try await platform.audited("revokeAtApple").count == 1 }

            let revoked = try #require(try await platform.audited("revokeAtApple").first)
            let audited = try #require(try await platform.audited("removeIdentity").first)
            #expect(revoked.subject == audited.before["revocation_id"] as? String && revoked.after["status"] as? String == "revoked")
            #expect(audited.subject == linking.owner.user && audited.before["identity_id"] as? String == id)
            for line in [revoked, audited] { #expect(!line.text.contains("example.com") && !line.text.lowercased().contains("owner")) }
            #expect(audited.before["status"] as? String == "pending")
            let reported = try await platform.events("user.identity_removed")
            #expect(reported.map { $0["identity_id"] as? String } == [id] && reported.first?["status"] as? String == "pending")
            #expect(try await platform.events("session.revoked").map { $0["reason"] as? String } == ["revoked"])
            #expect(try await platform.count("user_deletion") == 0)

            #expect(try await platform.login(linking.first).user == linking.owner.user)
            #expect(linking.asks(try await linking.signIn()))
        }
    }

    @Test("the only identity gets 409, and so does the only one whose Apple Account exists")
    func last() async throws {
        try await Linking.run { linking in
            let path = "/tenants/acme/users/\(linking.owner.user)/identities"
            let first = try await Self.newest(linking)
            #expect(try await linking.platform.call("DELETE", "\(path)/\(first)").isProblem(409, "conflict"))
            #expect(try await linking.user(linking.link(linking.page())) == linking.owner.user)
            let second = try await Self.newest(linking)
            _ = try await linking.platform.ownerPool.run(
                "UPDATE identity SET revoked_at = 'infinity' WHERE id = \(ID<Identity>(second))")
            #expect(try await linking.platform.call("DELETE", "\(path)/\(first)").isProblem(409, "conflict"))
            #expect(try await linking.owner.lasts())
            #expect(try await linking.platform.call("DELETE", "\(path)/\(second)").status == 204)
            #expect(try await linking.identities() == 1)
        }
    }

    @Test("another user's identity, and one of another tenant, are not found")
    func refused() async throws {
        try await Linking.run { linking in
            #expect(try await linking.user(linking.link(linking.page())) == linking.owner.user)
            let (platform, id) = (linking.platform, try await Self.newest(linking))
            let other = try await platform.login("Ada Lovelace")
            #expect(try await platform.call("DELETE", "/tenants/acme/users/\(other.user)/identities/\(id)").isProblem(404, "not_found"))
            let foreign = try await platform.call("DELETE", "/tenants/globex/users/\(linking.owner.user)/identities/\(id)")
            #expect(foreign.isProblem(404, "not_found"))
            #expect(try await linking.identities() == 2)
        }
    }

    @Test("two removals at once leave one identity")
    func atOnce() async throws {
        try await Linking.run { linking in
            #expect(try await linking.user(linking.link(linking.page())) == linking.owner.user)
            let path = "/tenants/acme/users/\(linking.owner.user)/identities"
            let ids = try await linking.platform.call("GET", path).ids
            let statuses = try await withThrowingTaskGroup(of: Int.self) { tasks in
                for id in ids { tasks.addTask { try await linking.platform.call("DELETE", "\(path)/\(id)").status } }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [204, 409])
            #expect(try await linking.identities() == 1)
        }
    }

    @Test("the deletion of a user revokes the consents of all Apple Accounts")
    func deleted() async throws {
        try await Linking.run { linking in
            #expect(try await linking.user(linking.link(linking.page())) == linking.owner.user)
            let platform = linking.platform
            #expect(try await platform.call("DELETE", "/tenants/acme/users/\(linking.owner.user)").status == 204)
            for person in [linking.first, linking.second] {
                try await eventually("Apple has confirmed it") { try await !platform.consents(person, to: platform.own.team) }
            }
            #expect(try await platform.count("identity") == 0)
        }
    }

    @Test("an identity that nobody has signed in with, and one of a team that no longer serves the tenant, are not the last one")
    func unable() async throws {
        try await Linking.run { linking in
            let (platform, path) = (linking.platform, "/tenants/acme/users/\(linking.owner.user)/identities")
            let first = try await Self.newest(linking)
            let added = try await platform.call("POST", path, ["team_id": platform.own.team, "subject": "001.mistyped"])
            #expect(added.status == 201)
            #expect(try await linking.own("DELETE", "/\(first)").isProblem(409, "conflict"))
            #expect(try await platform.call("DELETE", "\(path)/\(first)").isProblem(409, "conflict"))
            // The mistake can be corrected.
            #expect(try await platform.call("DELETE", "\(path)/\(added.resourceID)").status == 204)

            #expect(try await linking.user(linking.link(linking.page())) == linking.owner.user)
            let second = try await Self.newest(linking)
            _ = try await platform.ownerPool.run("UPDATE identity SET team_id = 'OLDTEAM000' WHERE id = \(ID<Identity>(first))")
            #expect(try await platform.call("DELETE", "\(path)/\(second)").isProblem(409, "conflict"))
            #expect(try await platform.call("DELETE", "\(path)/\(first)").status == 204)
            #expect(try await platform.login(linking.second).user == linking.owner.user)
        }
    }

    @Test("an identity of an app that Apple has transferred is not retried forever")
    func transferred() async throws {
        try await withRestingOutbox { platform in
            let linking = try await Linking.make(platform)
            let side = try await ReceivingTeam.make(platform)
            #expect(try await linking.user(linking.link(linking.page())) == linking.owner.user)
            let transfer = try await platform.createTransfer(to: side.team)
            try #require(try await platform.work("collect", transfer).batch == "1 0 0 true")
            try await platform.transferApp(to: side)
            try #require(try await platform.work("exchange", transfer).batch == "1 0 0 true")
            // Only the moved identity signs in through the new team.
            _ = try await platform.ownerPool.run("UPDATE team_transfer_user SET state = 'collected', moved_by = NULL")
            let path = "/tenants/acme/users/\(linking.owner.user)/identities"
            // A native sign-in has the bundle ID as its client, which moves with the app.
            _ = try await platform.ownerPool.run([
                "UPDATE connection SET bundle_ids = ARRAY['com.example.app'] WHERE services_id = \(platform.own.servicesID)",
                """
                UPDATE identity SET apple_client_id = 'com.example.app'
                WHERE created_at = (SELECT min(created_at) FROM identity)
                """,
            ])
            let old = try await platform.call("GET", path).data.filter { $0["team_id"] as? String == platform.own.team }
            try #require(old.count == 2)
            for identity in old {
                let id = try #require(identity["id"] as? String)
                #expect(try await platform.call("DELETE", "\(path)/\(id)").status == 204)
            }
            try await platform.runRevocations()
            let fates = try await platform.audited("revokeAtApple").map { $0.after["reason"] as? String }
            #expect(fates == ["transferred", "transferred"])
            #expect(try await platform.count("apple_revocation", where: "status = 'pending'") == 0)
        }
    }

    @Test(
        "the record and the webhook have the reason if nothing is revoked",
        arguments: ["no_refresh_token", "token_unreadable", "consent_ended"])
    func unrevoked(reason: String) async throws {
        try await Linking.run { linking in
            let platform = linking.platform
            #expect(try await linking.user(linking.link(linking.page())) == linking.owner.user)
            try await platform.subscribe(platform.acme)
            let change =
                switch reason {
                case "no_refresh_token": "sealed_refresh_token = NULL"
                case "token_unreadable": "sealed_refresh_token = 'x'"
                default: "revoked_at = now()"
                }
            _ = try await platform.ownerPool.run(SQL(unsafe: "UPDATE identity SET \(change)"))
            let id = try await Self.newest(linking)
            #expect(try await platform.call("DELETE", "/tenants/acme/users/\(linking.owner.user)/identities/\(id)").status == 204)
            let status = reason == "consent_ended" ? "not_needed" : "impossible"
            let audited = try #require(try await platform.audited("removeIdentity").first)
            #expect(audited.before["status"] as? String == status && audited.before["reason"] as? String == reason)
            let reported = try #require(try await platform.events("user.identity_removed").first)
            #expect(reported["status"] as? String == status && reported["reason"] as? String == reason)
        }
    }

    @Test("an identity that nobody has signed in with has no session and no consent to end")
    func asserted() async throws {
        try await withRestingOutbox { platform in
            let linking = try await Linking.make(platform)
            try await platform.subscribe(platform.acme)
            let path = "/tenants/acme/users/\(linking.owner.user)/identities"
            let body = ["team_id": platform.own.team, "subject": "001.mistyped"]
            let added = try await platform.call("POST", path, body)
            #expect(try await platform.call("DELETE", "\(path)/\(added.resourceID)").status == 204)
            #expect(try await linking.owner.lasts())
            #expect(try await platform.count("session", where: "apple_team_id IS NULL") == 0)
            #expect(try await platform.count("apple_revocation") == 0)
            let audited = try #require(try await platform.audited("removeIdentity").first)
            #expect(audited.before["status"] as? String == "not_needed" && audited.before["revocation_id"] == nil)
            #expect(try await platform.events("user.identity_removed").map { $0["status"] as? String } == ["not_needed"])

            #expect(try await platform.call("POST", path, body).status == 201)
            try await platform.delete(linking.owner)
            #expect(try await platform.fate(of: linking.owner).sorted() == ["not_needed 0", "pending 0"])
        }
    }

    @Test("a sign-in with the identity that is saved just before its removal gets no session")
    func overtaken() async throws {
        try await Linking.run { linking in
            let platform = linking.platform
            #expect(try await linking.user(linking.link(linking.page())) == linking.owner.user)
            let path = "/tenants/acme/users/\(linking.owner.user)/identities"
            // A removal locks the identities in this order.
            let subjects = try await platform.ownerPool.run("SELECT apple_sub FROM identity ORDER BY team_id, apple_sub").map {
                try $0.get("apple_sub", as: String.self)
            }
            let identities = try await platform.call("GET", "/tenants/acme/users/\(linking.owner.user)").json["identities"]
            let listed = try #require(identities as? [[String: any Sendable]])
            let index = try #require(listed.firstIndex { $0["subject"] as? String == subjects[1] })
            let id = try #require(listed[index]["id"] as? String)
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let form = try await browser.atApple(
                try await browser.authorize(request), person: index == 0 ? linking.first : linking.second)
            let (removal, code) = try await platform.ownerPool.transaction { db in
                _ = try await db.run("SELECT FROM identity WHERE apple_sub = \(subjects[0]) FOR UPDATE")
                let removal = Task { try await platform.call("DELETE", "\(path)/\(id)").status }
                try await platform.waitForLock("the removal waits")
                return (removal, try #require(try await browser.callback(form)["code"]))
            }
            #expect(try await removal.value == 204)
            // The sessions of both transactions.
            for actor in try await platform.webhookActors("session.revoked") { #expect(actor == platform.acme.api_keys[0].id) }
            #expect(try await browser.redeem(code, request).isOAuthError(400, "invalid_grant"))
        }
    }
}
