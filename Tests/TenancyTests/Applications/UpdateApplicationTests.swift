import Access
import Foundation
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

@Suite("Update application")
struct UpdateApplicationTests {
    @Test("sent members change, absent ones stay, null restores a default, and each change has a version and an audit event")
    func changes() async throws {
        try await TestPlatform.run { platform in
            let made = try await platform.registered("native", ["bundle_ids": ["com.acme.app"], "access_token_seconds": 600])
            let path = "/tenants/acme/applications/\(made["id"] as! String)"
            let key = platform.acme.api_keys[0]
            let renamed = try await platform.call("PATCH", path, key: key.secret, ["name": "Phone"])
            #expect(renamed.status == 200, "\(renamed.body)")
            #expect(renamed.json["name"] as? String == "Phone")
            for same in ["id", "kind", "redirect_uris", "bundle_ids", "access_token_seconds", "created_at"] {
                #expect("\(renamed.json[same]!)" == "\(made[same]!)", "\(same)")
            }
            let reset = try await platform.call(
                "PATCH", path, key: key.secret,
                ["bundle_ids": NSNull(), "access_token_seconds": NSNull(), "logout_uris": ["com.acme.app:/bye"]])
            #expect(reset.json["bundle_ids"] as? [String] == [])
            #expect(reset.json["access_token_seconds"] as? Int == 3600)
            #expect(reset.json["logout_uris"] as? [String] == ["com.acme.app:/bye"])
            #expect(reset.json["name"] as? String == "Phone")
            #expect(reset.header("ETag") != renamed.header("ETag"))
            let found = try await platform.call("GET", path)
            #expect(found.json as NSDictionary == reset.json as NSDictionary)
            #expect(found.header("ETag") == reset.header("ETag"))

            let trail = try await platform.applicationTrail(made["id"])
            #expect(trail.map(\.action) == ["registerApplication", "updateApplication", "updateApplication"])
            #expect(trail[1].actor == key.id)
            #expect(trail[1].before?["name"] as? String == "Shop")
            #expect(trail[1].after?["name"] as? String == "Phone")
        }
    }

    @Test("the logout notification URI is set, stays, and is removed by null")
    func backchannelLogout() async throws {
        try await TestPlatform.run { platform in
            let made = try await platform.registered("spa")
            let path = "/tenants/acme/applications/\(made["id"] as! String)"
            for (body, uri) in [
                (["backchannel_logout_uri": "https://a.example/gone"], "https://a.example/gone"), (["name": "B"], "https://a.example/gone"),
                (["backchannel_logout_uri": "https://b.example/"], "https://b.example/"), (["backchannel_logout_uri": NSNull()], nil),
            ] as [([String: any Sendable], String?)] {
                let answer = try await platform.call("PATCH", path, body)
                #expect(answer.status == 200, "\(answer.body)")
                #expect(answer.json["backchannel_logout_uri"] as? String == uri)
                #expect(try await platform.call("GET", path).json as NSDictionary == answer.json as NSDictionary)
                let listed = try await platform.call("GET", "/tenants/acme/applications").json["data"] as? [[String: any Sendable]]
                #expect(listed?.first?["backchannel_logout_uri"] as? String == uri)
            }
            let trail = try await platform.applicationTrail(made["id"])
            #expect(trail[1].after?["backchannel_logout_uri"] as? String == "https://a.example/gone")
        }
    }

    @Test("the login URL is set, stays, and is removed by null; the server's configuration has it")
    func loginURL() async throws {
        try await TestPlatform.run { platform in
            let made = try await platform.registered("spa")
            let path = "/tenants/acme/applications/\(made["id"] as! String)"
            let id = try #require(ID<Tenancy.Application>(made["id"] as! String))
            for (body, url) in [
                (["login_url": "https://a.example/login"], "https://a.example/login"), (["name": "B"], "https://a.example/login"),
                (["login_url": "http://localhost:3000/login"], "http://localhost:3000/login"), (["login_url": NSNull()], nil),
            ] as [([String: any Sendable], String?)] {
                let answer = try await platform.call("PATCH", path, body)
                #expect(answer.status == 200 && answer.json["login_url"] as? String == url, "\(answer.body)")
                let listed = try await platform.call("GET", "/tenants/acme/applications").json["data"] as? [[String: any Sendable]]
                #expect(listed?.first?["login_url"] as? String == url)
                #expect(try await platform.configuration(of: platform.acme).applications[id]?.loginURL == url)
            }
            let trail = try await platform.applicationTrail(made["id"])
            #expect(trail[1].after?["login_url"] as? String == "https://a.example/login")
        }
    }

    @Test("the URI for front-channel logout has the origin of a redirect URI, also after a change of these")
    func frontchannelLogout() async throws {
        try await TestPlatform.run { platform in
            let made = try await platform.registered("web")
            let path = "/tenants/acme/applications/\(made["id"] as! String)"
            let id = try #require(ID<Tenancy.Application>(made["id"] as! String))
            #expect(made["frontchannel_logout_session_required"] as? Bool == true)
            let uri = "https://B.example:443/out?a=b"
            let set: [String: any Sendable] = ["redirect_uris": ["https://b.example/a"], "frontchannel_logout_uri": uri]
            for body in [set, ["frontchannel_logout_session_required": false]] {
                let answer = try await platform.call("PATCH", path, body)
                #expect(answer.status == 200 && answer.json["frontchannel_logout_uri"] as? String == uri, "\(answer.body)")
            }
            let application = try await platform.configuration(of: platform.acme).applications[id]
            #expect(application?.frontchannelLogoutURI == uri && application?.hasFrontchannelSession == false)
            let listed = try await platform.call("GET", "/tenants/acme/applications").json["data"] as? [[String: any Sendable]]
            #expect(listed?.first?["frontchannel_logout_uri"] as? String == uri)
            let refused = try await platform.call("PATCH", path, ["redirect_uris": ["https://c.example/a"]])
            #expect(refused.status == 409, "\(refused.body)")
            #expect(refused.body.contains("frontchannel_logout_uri"))
            let removed = try await platform.call("PATCH", path, ["frontchannel_logout_uri": NSNull()])
            #expect(removed.status == 200 && removed.json["frontchannel_logout_uri"] == nil)
            #expect(try await platform.call("PATCH", path, ["redirect_uris": ["https://c.example/a"]]).status == 200)
        }
    }

    @Test("a request without an effective change leaves no version and no audit event")
    func nothing() async throws {
        try await TestPlatform.run { platform in
            let made = try await platform.registered("web")
            let path = "/tenants/acme/applications/\(made["id"] as! String)"
            let version = try await platform.call("GET", path).header("ETag")
            for body: [String: any Sendable] in [
                [:], ["name": "Shop"], ["idle_seconds": NSNull()], ["name": NSNull(), "redirect_uris": NSNull()],
            ] {
                let answer = try await platform.call("PATCH", path, body)
                #expect(answer.status == 200)
                #expect(answer.header("ETag") == version)
            }
            #expect(try await platform.applicationTrail(made["id"]).count == 1)
        }
    }

    @Test("an outdated version is refused")
    func versions() async throws {
        try await TestPlatform.run { platform in
            let made = try await platform.registered("web")
            let path = "/tenants/acme/applications/\(made["id"] as! String)"
            let version = try #require(try await platform.call("GET", path).header("ETag"))
            #expect(try await platform.call("PATCH", path, ["name": "A"], headers: [("If-Match", version)]).status == 200)
            let late = try await platform.call("PATCH", path, ["name": "B"], headers: [("If-Match", version)])
            #expect(late.status == 412)
            #expect(late.code == "precondition_failed")
            #expect(try await platform.call("GET", path).json["name"] as? String == "A")
        }
    }

    @Test("one of several concurrent changes of the same version succeeds")
    func racing() async throws {
        try await TestPlatform.run { platform in
            let made = try await platform.registered("web")
            let path = "/tenants/acme/applications/\(made["id"] as! String)"
            let version = try #require(try await platform.call("GET", path).header("ETag"))
            let statuses = try await withThrowingTaskGroup(of: Int.self) { tasks in
                for number in 0..<6 {
                    tasks.addTask {
                        try await platform.call("PATCH", path, ["name": "Name \(number)"], headers: [("If-Match", version)]).status
                    }
                }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.filter { $0 == 200 }.count == 1)
            #expect(statuses.filter { $0 == 412 }.count == 5)
            #expect(try await platform.applicationTrail(made["id"]).count == 2)
        }
    }

    @Test("a contradiction to the stored members is a conflict, an impossible value is invalid, and neither changes anything")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let web = try await platform.registered("web", ["session_seconds": 86400])
            let machine = try await platform.registered("machine")
            for (application, body, field) in [
                (web, ["redirect_uris": [] as [String]], "redirect_uris"),
                (web, ["redirect_uris": ["com.acme.app:/x"]], "redirect_uris[0]"), (web, ["bundle_ids": ["com.acme.app"]], "bundle_ids"),
                (web, ["idle_seconds": 86401], "idle_seconds"), (web, ["session_seconds": 3600], "idle_seconds"),
                (machine, ["redirect_uris": ["https://a.example/"]], "redirect_uris"), (machine, ["requires_pkce": false], "requires_pkce"),
            ] as [([String: any Sendable], [String: any Sendable], String)] {
                let answer = try await platform.call("PATCH", "/tenants/acme/applications/\(application["id"] as! String)", body)
                #expect(answer.status == 409, "\(body): \(answer.body)")
                #expect(answer.code == "conflict")
                #expect(answer.refusedFields == [field], "\(body)")
            }
            for (body, field) in [
                (["kind": "spa"], "kind"), (["kind": "web"], "kind"), (["name": ""], "name"),
                (["client_secret": "x"], "client_secret"), (["redirect_uris": ["http://a.example/"]], "redirect_uris[0]"),
                (["signing_algorithm": "none"], "signing_algorithm"), (["session_seconds": 1], "session_seconds"),
            ] as [([String: any Sendable], String)] {
                let answer = try await platform.call("PATCH", "/tenants/acme/applications/\(web["id"] as! String)", body)
                #expect(answer.status == 400, "\(body): \(answer.body)")
                #expect(answer.refusedFields == [field], "\(body): \(answer.body)")
            }
            let kind = try await platform.call("PATCH", "/tenants/acme/applications/\(web["id"] as! String)", ["kind": "spa"])
            #expect(kind.body.contains("Register another application"))
            #expect(try await platform.count("audit_event", where: "action = 'updateApplication'") == 0)
        }
    }

    @Test("URIs for development need the setting, the audit trail shows it, and it stays while such URIs remain")
    func developmentURIs() async throws {
        try await TestPlatform.run { platform in
            let made = try await platform.registered("spa")
            let path = "/tenants/acme/applications/\(made["id"] as! String)"
            func change(_ body: [String: any Sendable]) async throws -> TestBrowser.Answer { try await platform.call("PATCH", path, body) }
            let uris = ["https://shop.acme.example/callback", "https://*.preview.example/callback"]
            let early = try await change(["redirect_uris": uris])
            #expect(early.status == 409)
            #expect(early.refusedFields == ["redirect_uris[1]"])
            #expect(early.body.contains("https://*.preview.example") && early.body.contains("--development-uris"))

            let both = try await change(["redirect_uris": uris, "logout_uris": uris, "allows_development_uris": true])
            #expect(both.status == 200, "\(both.body)")
            #expect(both.json["allows_development_uris"] as? Bool == true)
            #expect(try await platform.call("GET", path).json["allows_development_uris"] as? Bool == true)
            let listed = try await platform.call("GET", "/tenants/acme/applications").json["data"] as? [[String: any Sendable]]
            #expect(listed?.first?["allows_development_uris"] as? Bool == true)
            #expect(try await change(["redirect_uris": ["myapp:/callback"]]).refusedFields == ["redirect_uris[0]"])

            for body: [String: any Sendable] in [
                ["allows_development_uris": false], ["allows_development_uris": NSNull()],
                ["allows_development_uris": false, "redirect_uris": ["https://*.preview.example/other"]],
            ] {
                let refused = try await change(body)
                #expect(refused.status == 409)
                #expect(Set(refused.refusedFields).isSuperset(of: ["logout_uris[1]"]), "\(refused.body)")
                #expect(refused.body.contains("https://*.preview.example"))
            }
            let live = try await change(["allows_development_uris": NSNull(), "redirect_uris": [uris[0]], "logout_uris": NSNull()])
            #expect(live.status == 200, "\(live.body)")
            #expect(live.json["allows_development_uris"] as? Bool == false)

            let trail = try await platform.applicationTrail(made["id"])
            #expect(trail.map { $0.after?["allows_development_uris"] as? Bool } == [false, true, false])
            #expect(trail.map { $0.before?["allows_development_uris"] as? Bool } == [nil, false, true])
            #expect(trail[1].after?["redirect_uris"] as? [String] == uris)
        }
    }

    @Test("another tenant's application cannot be changed, nor the tenant's own without the scope")
    func permission() async throws {
        try await TestPlatform.run { platform in
            let path = "/applications/\(platform.acme.applications[0].client_id)"
            for (tenant, key) in [
                ("acme", platform.globex.api_keys[0]), ("globex", platform.globex.api_keys[0]), ("globex", platform.seeded.api_keys[0]),
            ] {
                #expect(try await platform.call("PATCH", "/tenants/\(tenant)\(path)", key: key.secret, ["name": "Mine"]).status == 404)
            }
            let scopeless = try await platform.call("PATCH", "/tenants/acme\(path)", key: platform.acme.api_keys[1].secret, ["name": "X"])
            #expect(scopeless.code == "insufficient_scope")
            #expect(try await platform.count("application", where: "name IN ('Mine', 'X')") == 0)
        }
    }
}
