import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("Start support access")
struct StartSupportAccessTests {
    @Test("an operator reads and changes the data of one tenant only during a support access, and never issues keys")
    func scopes() async throws {
        try await TestPlatform.run { platform in
            let (_, secret) = try await platform.addOperator()
            for path in ["users", "applications", "connections", "api-keys", "sessions", "audit-events", "webhooks"] {
                let answer = try await platform.call("GET", "/tenants/acme/\(path)", key: secret)
                #expect(answer.isProblem(403, "support_required"), "\(path): \(answer.body)")
            }
            for path in ["", "/usage", "/members", "/invitations", "/roles", "/statements", "/support-accesses"] {
                #expect(try await platform.call("GET", "/tenants/acme\(path)", key: secret).status == 200, "\(path)")
            }
            let invited = try await platform.invite("ada@example.com", as: "owner", key: secret)
            #expect(invited.status == 201, "\(invited.body)")
            // A support access would not help, so the response does not advise one.
            let application = try await platform.call("POST", "/tenants/acme/applications", key: secret, ["name": "x"])
            #expect(application.isProblem(403, "insufficient_scope") && application.body.contains("applications:write"))

            let started = try await platform.startSupport(secret)
            #expect(started.status == 201 && started.string("state") == "active" && started.string("operator_name") == "Grace")
            #expect(try await platform.users(secret).status == 200)
            let role: [String: any Sendable] = ["name": "Desk", "scopes": ["users:read"]]
            #expect(try await platform.call("POST", "/tenants/acme/roles", key: secret, role).status == 201)
            let key = try await platform.call("POST", "/tenants/acme/api-keys", key: secret, ["name": "x", "scopes": ["users:read"]])
            #expect(key.isProblem(403, "insufficient_scope"), "\(key.body)")
            #expect(try await platform.users(secret, of: "globex").isProblem(403, "support_required"))
            // The header names no data of a tenant.
            let headers = [("Authorization", "Bearer \(secret)"), ("Espalier-Tenant", "acme")]
            let own = try await TestBrowser(platform).get(TestPlatform.publicURL + "/v1/platform/operators", headers: headers)
            #expect(own.status == 200)
        }
    }

    @Test("another operator, another session's end and another tenant get nothing from it")
    func others() async throws {
        try await TestPlatform.run { platform in
            let (person, secret) = try await platform.addOperator()
            let (_, other) = try await platform.addOperator("Katherine")
            #expect(try await platform.startSupport(secret).status == 201)
            #expect(try await platform.users(other).isProblem(403, "support_required"))
            // The access belongs to the person, so another session of the same person has it, too.
            let (_, again) = try await platform.startSession(person)
            #expect(try await platform.users(again).status == 200)
            let (_, elsewhere) = try await platform.startSession(person, onlyTenant: platform.globexID)
            #expect(try await platform.users(elsewhere).status == 404)
            let globex = platform.globex.api_keys[0].secret
            #expect(try await platform.call("GET", "/tenants/acme/support-accesses", key: globex).status == 404)
            let own = try await platform.call("GET", "/tenants/globex/support-accesses", key: globex)
            #expect((own.json["data"] as? [Any])?.isEmpty == true)
        }
    }

    @Test("only an operator who is a person starts one, with a reason, a duration and a recent sign-in; one at a time")
    func refusals() async throws {
        try await TestPlatform.run { platform in
            let (person, secret) = try await platform.addOperator()
            #expect(try await platform.startSupport(platform.acmeKey).isProblem(403, "operator_required"))
            #expect(try await platform.startSupport(platform.seeded.api_keys[0].secret).isProblem(409, "conflict"))
            let (_, owner) = try await platform.addMember("Ada", as: .builtIn(.owner))
            let (_, own) = try await platform.startSession(owner)
            #expect(try await platform.startSupport(own).isProblem(403, "operator_required"))
            let old = try await platform.startSession(person, at: Date() - 660)
            #expect(try await platform.startSupport(old.secret).isProblem(403, "recent_sign_in_required"))
            let path = "/tenants/acme/support-accesses"
            for (reason, minutes) in [
                ("Too short", 60), (String(repeating: "x", count: 501), 60), ("Ticket 4711: it fails", 14), ("Ticket 4711: it fails", 481),
                ("Ticket\u{202E}4711: it fails", 60), ("Ticket\u{200D}4711: it fails", 60), ("            ", 60),
            ] {
                let body: [String: any Sendable] = ["reason": reason, "minutes": minutes]
                #expect(try await platform.call("POST", path, key: secret, body).status == 400, "\(reason) \(minutes)")
            }
            #expect(try await platform.count("support_access") == 0)
            #expect(try await platform.startSupport(secret).status == 201)
            #expect(try await platform.startSupport(secret).isProblem(409, "conflict"))
            #expect(try await platform.startSupport(secret, of: "globex").status == 201)
        }
    }

    @Test("it ends with its time: the next call is refused, the trail has the end, and a new access can start")
    func time() async throws {
        try await TestPlatform.run { platform in
            let (_, secret) = try await platform.addOperator()
            let started = try await platform.startSupport(secret, minutes: 15)
            #expect(try await platform.users(secret).status == 200)
            try await platform.ageSupport(by: 16)
            try await eventually("the access is over") {
                try await platform.users(secret).isProblem(403, "support_required")
            }
            let list = try await platform.call("GET", "/tenants/acme/support-accesses", key: platform.acmeKey)
            #expect((list.json["data"] as? [[String: any Sendable]])?.first?["state"] as? String == "ended")
            try await SupportAccess.endDue(in: PlatformDatabase(platform.pool, for: .endSupportAccesses), at: Date())
            let id = try #require(started.string("id"))
            #expect(try await platform.audit(id).map(\.action).sorted() == ["endSupportAccess", "startSupportAccess"])
            let rows = try await platform.ownerPool.run("SELECT ended_by, ended_at = ends_at AS is_exact FROM support_access")
            let row = try #require(rows.first)
            let (actor, isExact) = (try row.get("ended_by", as: String.self), try row.get("is_exact", as: Bool.self))
            #expect(actor == "system" && isExact)
            #expect(try await platform.startSupport(secret).status == 201)
        }
    }

    @Test("the trail, webhook events and the owners' mail have it; no event has more than it needs")
    func visible() async throws {
        try await TestMailServer.run { mails async throws in
            let settings = try mails.settings()
            try await TestPlatform.run({ $0.mail = settings }) { platform in
                _ = try await platform.addMember("Ada", as: .builtIn(.owner))
                _ = try await platform.addMember("Mary", as: .builtIn(.viewer))
                let events = ["support_access.started", "support_access.ended", "user.deleted"]
                let hook: [String: any Sendable] = ["url": "https://hooks.example.com/", "events": events]
                #expect(try await platform.call("POST", "/tenants/acme/webhooks", key: platform.acmeKey, hook).status == 201)
                let (person, secret) = try await platform.addOperator()
                let id = try #require(try await platform.startSupport(secret).string("id"))
                #expect(try await platform.call("PATCH", "/tenants/acme", key: secret, ["name": "Acme Inc."]).status == 200)
                let acts = try await platform.ownerPool.run(
                    "SELECT actor, support_access_id FROM audit_event WHERE action IN ('startSupportAccess', 'updateTenant') ORDER BY sequence"
                )
                #expect(try acts.map { try $0.get("support_access_id", as: String?.self) } == [nil, id])
                #expect(try acts.allSatisfy { try $0.get("actor", as: String.self) == person.description })
                let ended = try await platform.call("POST", "/tenants/acme/support-accesses/\(id)/end", key: secret)
                #expect(ended.status == 200 && ended.string("ended_by") == person.description)
                let sent = try await platform.ownerPool.run(
                    "SELECT type, data::text AS data, actor::text AS actor FROM webhook_event ORDER BY id")
                #expect(try sent.map { try $0.get("type", as: String.self) } == ["support_access.started", "support_access.ended"])
                for event in sent {
                    let (data, actor) = (try event.get("data", as: String.self), try event.get("actor", as: String.self))
                    #expect(data.contains(id) && !data.contains("Ticket") && actor.contains(person.description))
                }
                #expect(try sent.last?.get("actor", as: String.self).contains(id) == true)
                let mail = try await eventually("the owner gets a mail") { mails.mails.first { $0.recipient == "ada@example.com" } }
                #expect(["Ticket 4711", "grace@example.com"].allSatisfy { mail.part("plain")?.contains($0) == true })
                #expect(!mails.mails.contains { $0.recipient == "mary@example.com" })
                let trail = try await AuditTrail.verify(platform.acmeID, in: PlatformDatabase(platform.pool, for: .command))
                #expect(trail.breaks == [])
            }
        }
    }

    @Test("a tenant that does not allow support has none, a running one ends, and an operator cannot allow it again")
    func setting() async throws {
        try await TestPlatform.run { platform in
            let (_, secret) = try await platform.addOperator()
            let id = try #require(try await platform.startSupport(secret).string("id"))
            #expect(try await platform.users(secret).status == 200)
            let off = try await platform.call("PATCH", "/tenants/acme", key: platform.acmeKey, ["allows_support": false])
            #expect(off.status == 200 && off.json["allows_support"] as? Bool == false)
            try await eventually("the access is over") {
                try await platform.users(secret).isProblem(403, "support_required")
            }
            #expect(try await platform.audit(id).map(\.action).sorted() == ["endSupportAccess", "startSupportAccess"])
            #expect(try await platform.startSupport(secret).isProblem(409, "conflict"))
            let again = try await platform.call("PATCH", "/tenants/acme", key: secret, ["allows_support": true])
            #expect(again.isProblem(403, "insufficient_scope"), "\(again.body)")
            let on = try await platform.call("PATCH", "/tenants/acme", key: platform.acmeKey, ["allows_support": NSNull()])
            #expect(on.json["allows_support"] as? Bool == true)
            // An end is final.
            #expect(try await platform.users(secret).isProblem(403, "support_required"))
            #expect(try await platform.startSupport(secret).status == 201)
        }
    }
}
