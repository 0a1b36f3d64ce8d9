import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("Terminal token")
struct TerminalTokenTests {
    @Test("an unfinished, foreign or unreadable request is refused without a session")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let (person, url) = (try await TerminalPerson(platform), "\(TerminalPerson.issuer)/oauth2/token")
            let client = [("client_id", "espalierctl")]
            for (form, error) in [
                ([], "invalid_request"), (client, "invalid_request"), (client + [("grant_type", "password")], "unsupported_grant_type"),
                (client + [("grant_type", "authorization_code")], "invalid_request"),
                (client + [("grant_type", "authorization_code"), ("code", "x"), ("redirect_uri", "x")], "invalid_grant"),
                (client + [("grant_type", TerminalPerson.deviceGrant)], "invalid_request"),
                (client + [("grant_type", TerminalPerson.deviceGrant), ("device_code", "x")], "invalid_grant"),
            ] as [([(String, String)], String)] {
                let answer = try await person.terminal.post(url, form: form)
                #expect(answer.isOAuthError(400, error), "\(form)")
            }
            let other = try await person.terminal.post(url, form: [("client_id", "other"), ("grant_type", "authorization_code")])
            #expect(other.isOAuthError(401, "invalid_client"))
            #expect(try await person.terminals() == 0)
        }
    }

    @Test("the terminal acts for one tenant only if the session of the browser does, and shows no other one")
    func onlyTenant() async throws {
        try await TestPlatform.run { platform in
            let (person, program) = (try await TerminalPerson(platform, onlyTenant: true), TerminalPerson.Program())
            let (acme, globex) = (try #require(ID<Tenant>(platform.acme.id)).uuid, try #require(ID<Tenant>(platform.globex.id)).uuid)
            _ = try await platform.ownerPool.run(
                Membership.insert(ID(at: Date()), of: person.person, as: .builtIn(.owner), owner: globex, at: Date()))
            let page = try await person.review(program)
            #expect(page.body.contains("Acme") && !page.body.contains("Globex"), "\(page.body)")
            let code = try await person.press("/account/oauth2/approval", of: page)["code"] ?? ""
            let token = try await person.redeem(code, program)
            #expect(token.status == 200, "\(token.body)")
            #expect(try await platform.count("person_session", where: "kind = 'terminal' AND only_tenant_id = '\(acme)'") == 1)
            let bearer = token.string("access_token")
            #expect(try await platform.call("GET", "/tenants/acme", key: bearer).status == 200)
            #expect(try await platform.call("GET", "/tenants/globex", key: bearer).status == 404)
        }
    }

    @Test("a code ends with the session of the browser, and after one minute")
    func ended() async throws {
        try await TestPlatform.run { platform in
            let (person, program) = (try await TerminalPerson(platform), TerminalPerson.Program())
            let code = try await person.code(program)
            _ = try await platform.ownerPool.run(
                "UPDATE person_session SET ended_at = now(), ended_reason = 'sign_out' WHERE id = \(person.session)")
            #expect(try await person.redeem(code, program).isOAuthError(400, "invalid_grant"))
            #expect(try await person.terminals() == 0)
        }
    }

    @Test("an early poll gets slow_down, and the interval grows; an approved terminal gets a token once")
    func polls() async throws {
        try await TestPlatform.run { platform in
            let person = try await TerminalPerson(platform)
            let codes = try await person.start()
            let code = try #require(codes.string("device_code"))
            #expect(try await person.poll(code).isOAuthError(400, "authorization_pending"))
            #expect(try await person.poll(code).isOAuthError(400, "slow_down"))
            #expect(try await platform.count("person_device", where: "interval_seconds = 10") == 1)
            let page = try await person.show(codes.string("user_code") ?? "")
            #expect(try await person.press("/account/device/approval", of: page).status == 200)
            #expect(try await person.pollLater(code).status == 200)
            #expect(try await person.terminals() == 1)
            #expect(try await person.pollLater(code).isOAuthError(400, "invalid_grant"))
            #expect(try await person.terminals() == 0)
        }
    }

    @Test("an approval that is copied to another terminal's row gives it nothing")
    func moved() async throws {
        try await TestPlatform.run { platform in
            let person = try await TerminalPerson(platform)
            let (own, other) = (try await person.start(), try await person.start())
            let page = try await person.show(own.string("user_code") ?? "")
            _ = try await person.press("/account/device/approval", of: page)
            _ = try await platform.ownerPool.run(
                """
                UPDATE person_device AS d SET state = 'approved', person_id = a.person_id, approval = a.approval
                FROM person_device AS a WHERE a.state = 'approved' AND d.state = 'pending'
                """)
            #expect(try await person.poll(other.string("device_code") ?? "").isOAuthError(400, "expired_token"))
            #expect(try await person.terminals() == 0)
        }
    }

    @Test("the start of a session, and its end by a second use, are in the audit trail of the platform")
    func audited() async throws {
        try await TestPlatform.run { platform in
            let (person, program) = (try await TerminalPerson(platform), TerminalPerson.Program())
            let code = try await person.code(program)
            #expect(try await person.redeem(code, program).status == 200)
            #expect(try await person.events("terminalToken") == 1)
            let trail = try await platform.audit(person.person.description)
            #expect(trail.contains { $0.action == "terminalToken" && $0.after?.contains(person.session.description) == true })

            for _ in 0..<2 { #expect(try await person.redeem(code, program).isOAuthError(400, "invalid_grant")) }
            let reused = "tenant_id = '\(UUID.platform)' AND action = 'terminal.code_reused' AND actor = 'system'"
            #expect(try await platform.count("audit_event", where: reused) == 1)

            let codes = try await person.start()
            let page = try await person.show(codes.string("user_code") ?? "")
            _ = try await person.press("/account/device/approval", of: page)
            #expect(try await person.pollLater(codes.string("device_code") ?? "").status == 200)
            #expect(try await person.events("terminalToken") == 2)
        }
    }
}

extension TerminalPerson {
    /// The number of events in the trail of the platform by this person in the session of a terminal.
    func events(_ action: String) async throws -> Int {
        try await platform.count(
            "audit_event",
            where: """
                tenant_id = '\(UUID.platform)' AND action = '\(action)' AND actor = '\(person)' AND subject = actor
                AND session_id <> '\(session)'
                """)
    }
}
