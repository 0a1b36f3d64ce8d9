import Access
import ClientKeys
import Foundation
import Postgres
import Server
@testable import SignIn
import Tenancy
import TestSupport
import Testing
import Web

/// Each rule for a native sign-in is broken alone. Nobody is signed in, nothing is billed, and the log names the rule.
@Suite("Native refusals")
struct NativeRefusalTests {
    /// Sends a body that must be refused. It checks the metric, and that nothing was written.
    private func expectRefusal(
        _ body: [String: any Sendable], _ phone: Phone, _ error: String, status: Int = 400, outcome: String, _ comment: String = "",
        at location: SourceLocation = #_sourceLocation
    ) async throws {
        func counted() -> Int {
            let line = #"espalier_logins_total{step="native",outcome="\#(outcome)"} "#
            let found = phone.platform.installation.metrics.text.split(separator: "\n").first { $0.hasPrefix(line) }
            return found.flatMap { Int($0.dropFirst(line.count)) } ?? 0
        }
        let (sessions, before) = (try await phone.platform.count("session"), counted())
        let answer = try await phone.send(body)
        #expect(answer.isOAuthError(status, error), "\(comment) \(answer.status) \(answer.body)", sourceLocation: location)
        #expect(counted() == before + 1, "\(comment) is not counted as \(outcome)", sourceLocation: location)
        #expect(try await phone.platform.count("session") == sessions, sourceLocation: location)
        #expect(try await phone.platform.countBilled() == sessions, sourceLocation: location)
    }

    @Test("an id_token that breaks one of Apple's rules is refused")
    func oneRuleBroken() async throws {
        try await TestPlatform.run { platform in
            let phone = try await Phone.make(platform)
            let now = Int(Date().timeIntervalSince1970)
            func claim(_ name: String, _ value: (any Sendable)? = nil) -> [String: any Sendable] {
                var fault: [String: any Sendable] = ["fault": "claim", "claim": name]
                fault["value"] = value
                return fault
            }
            for (fault, rule) in [
                (["fault": "bad_signature"], "signature"), (["fault": "alg", "alg": "none"], "algorithm"),
                (["fault": "alg", "alg": "HS256"], "algorithm"), (["fault": "unknown_kid"], "unknownKey"),
                (claim("iss", "https://appleid.apple.com.evil.test"), "issuer"), (claim("aud", "com.evil.app"), "audience"),
                (claim("aud", platform.own.servicesID), "audience"), (claim("exp", now - 3600), "expired"),
                (claim("iat", now + 3600), "notYetValid"), (claim("sub", ""), "subject"), (claim("nonce"), "nonceMissing"),
                (claim("nonce", "another"), "nonceMismatch"), (claim("nonce", ""), "nonceMismatch"),
            ] as [([String: any Sendable], String)] {
                let credential = try await phone.authorize(breaking: fault)
                try await expectRefusal(
                    ["id_token": credential.idToken, "nonce": credential.nonce!], phone, "invalid_grant", outcome: "id_token_\(rule)",
                    "\(fault)")
            }
            try await expectRefusal(["id_token": "x"], phone, "invalid_grant", outcome: "id_token_malformed")
            #expect(try await platform.count("tenant_user") == 0)
            // The request follows all rules again, and has no code.
            let credential = try await phone.authorize()
            #expect(try await phone.send(["id_token": credential.idToken, "nonce": credential.nonce!]).status == 200)
        }
    }

    @Test("an id_token that is older than ten minutes is refused, although Apple's expires after a day")
    func stale() async throws {
        try await TestPlatform.run { platform in
            let phone = try await Phone.make(platform)
            let now = Int(Date().timeIntervalSince1970)
            func issued(_ secondsAgo: Int) async throws -> [String: any Sendable] {
                let fault: [String: any Sendable] = ["fault": "claim", "claim": "iat", "value": now - secondsAgo]
                let credential = try await phone.authorize(breaking: fault)
                return ["id_token": credential.idToken, "nonce": credential.nonce!]
            }
            try await expectRefusal(try await issued(601), phone, "invalid_grant", outcome: "stale")
            #expect(try await phone.send(try await issued(300)).status == 200)
        }
    }

    @Test("a nonce is accepted raw or as its hash, and is required if the id_token has one")
    func nonce() async throws {
        try await TestPlatform.run { platform in
            let phone = try await Phone.make(platform)
            // The nonce as in Apple's examples, as in others, and from an application that stores only the hash.
            let (hashed, raw, unhashed) = (
                try await phone.authorize(), try await phone.authorize(sent: { $0 }), try await phone.authorize()
            )
            for body in [hashed.body, raw.body, unhashed.body.merging(["nonce": Phone.sha256(unhashed.nonce!)!]) { $1 }] {
                let answer = try await phone.send(body)
                #expect(answer.status == 200, "\(answer.body)")
            }
            var none = try await phone.authorize()
            none.nonce = nil
            try await expectRefusal(none.body, phone, "invalid_request", outcome: "nonce_not_presented")
            var wrong = try await phone.authorize()
            wrong.nonce = TestBrowser.randomText()
            try await expectRefusal(wrong.body, phone, "invalid_grant", outcome: "id_token_nonceMismatch")
            var unasked = try await phone.authorize(nonce: nil)
            #expect(try await phone.send(unasked.body).status == 200)
            unasked = try await phone.authorize(nonce: nil)
            unasked.nonce = "made up"
            try await expectRefusal(unasked.body, phone, "invalid_grant", outcome: "id_token_nonceMissing")
        }
    }

    @Test("an id_token is single-use in any encoding of its signature, and so is a nonce; the first tokens stay valid")
    func once() async throws {
        try await TestPlatform.run { platform in
            let phone = try await Phone.make(platform)
            let credential = try await phone.authorize()
            let first = try await phone.send(credential.body)
            #expect(first.status == 200)
            var replay: [String: any Sendable] = ["id_token": credential.idToken, "nonce": credential.nonce!]
            try await expectRefusal(replay, phone, "invalid_grant", outcome: "used", "the same")
            try await expectRefusal(credential.body, phone, "invalid_grant", outcome: "used", "with its code")
            // A signature of 256 bytes leaves bits of its last character unused.
            let last = credential.idToken.last!
            let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
            let other = alphabet[alphabet.firstIndex(of: last)! ^ 1]
            replay["id_token"] = credential.idToken.dropLast() + String(other)
            #expect(try await phone.send(replay).status == 400)
            replay["id_token"] = credential.idToken + "="
            #expect(try await phone.send(replay).status == 400)

            // Another id_token has the same nonce, in either form.
            for sent in [Phone.sha256, { $0 }] as [@Sendable (String) -> String?] {
                let again = try await phone.authorize(nonce: credential.nonce, sent: sent)
                try await expectRefusal(again.body, phone, "invalid_grant", outcome: "used", "the nonce")
            }
            let userInfo = try await TestBrowser(platform).userInfo(first.string("access_token"), of: phone.tenant)
            #expect(userInfo.status == 200)
            #expect(try await platform.count("session", where: "ended_at IS NULL") == 1)
        }
    }

    @Test("a used id_token neither restores a deleted user nor sets a name")
    func usedBeforeTheDeletion() async throws {
        try await TestPlatform.run { platform in
            let phone = try await Phone.make(platform)
            var used = try await phone.authorize().body
            used["user"] = nil
            let first = try await phone.send(used)
            used["user"] = ["name": ["firstName": "Mallory", "lastName": "Quux"]]
            #expect(try await phone.send(used).isOAuthError(400, "invalid_grant"))
            #expect(try await platform.count("tenant_user", where: "given_name IS NOT NULL") == 0)

            #expect(try await platform.deleteOwnUser(first.string("access_token"), of: phone.tenant).status == 200)
            #expect(try await phone.send(used).isOAuthError(400, "invalid_grant"))
            used["code"] = nil
            #expect(try await phone.send(used).isOAuthError(400, "invalid_grant"))
            for table in ["tenant_user", "identity"] { #expect(try await platform.count(table) == 0, "\(table)") }
        }
    }

    @Test("a web id_token is refused from a device, even if the Services ID is among the bundle IDs")
    func servicesIDAsBundleID() async throws {
        try await TestPlatform.run { platform in
            let phone = try await Phone.make(platform)
            let ids = [phone.bundleID, platform.own.servicesID]
            _ = try await platform.ownerPool.run("UPDATE connection SET bundle_ids = \(ids) WHERE team_id = \(platform.own.team)")
            try await platform.setBundleIDs(ids, of: phone.application)
            #expect(try await phone.send(try await phone.authorize().body).status == 200)
            let browser = TestBrowser(platform)
            let form = try await browser.atApple(try await browser.authorize(.init(platform.acme)), person: "new")
            let idToken = try #require(form["id_token"])
            let nonce = try #require(try claims(of: idToken)["nonce"] as? String)
            for client in [nil, phone.application.client_id] {
                var body: [String: any Sendable] = ["id_token": idToken, "nonce": nonce]
                body["client_id"] = client
                try await expectRefusal(body, phone, "invalid_grant", outcome: "id_token_audience")
            }
        }
    }

    @Test("of many concurrent requests with one id_token, one gets tokens and one login is billed")
    func atOnce() async throws {
        try await TestPlatform.run { platform in
            let phone = try await Phone.make(platform)
            let credential = try await phone.authorize()
            let body: [String: any Sendable] = ["id_token": credential.idToken, "nonce": credential.nonce!]
            let statuses = try await withThrowingTaskGroup(of: Int.self) { tasks in
                for _ in 0..<6 { tasks.addTask { try await phone.send(body).status } }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [200, 400, 400, 400, 400, 400])
            #expect(try await platform.count("session") == 1)
            #expect(try await platform.countBilled() == 1)
        }
    }

    @Test("an id_token for the web, for another application or for another team's is refused")
    func audience() async throws {
        try await TestPlatform.run { platform in
            let phone = try await Phone.make(platform)
            // A web id_token, as a browser receives it.
            let browser = TestBrowser(platform)
            let form = try await browser.atApple(try await browser.authorize(.init(platform.acme)), person: "new")
            try await expectRefusal(["id_token": form["id_token"]!], phone, "invalid_grant", outcome: "id_token_audience")
            // The connection has this bundle ID, but no application has it.
            let other = try await phone.authorize(as: phone.otherBundleID)
            try await expectRefusal(other.body, phone, "unauthorized_client", outcome: "no_application")
            try await expectRefusal(
                other.body.merging(["client_id": phone.application.client_id]) { $1 }, phone, "invalid_grant",
                outcome: "id_token_audience")
            // Globex's application may claim any bundle ID. Its connection does not have this one.
            let foreign = platform.globex.applications[1]
            try await platform.setBundleIDs([phone.bundleID], of: foreign)
            let body = try await phone.authorize().body
            let globex = "\(platform.globex.issuer)/auth/apple/callback"
            for client in [nil, foreign.client_id] {
                var body = body
                body["client_id"] = client
                #expect(try await phone.send(body, to: globex).isOAuthError(400, "unauthorized_client"))
            }
            // Acme does not know Globex's application.
            try await expectRefusal(
                body.merging(["client_id": foreign.client_id]) { $1 }, phone, "invalid_client", status: 401, outcome: "unknown_application")
            try await expectRefusal(
                body.merging(["client_id": platform.acme.applications[0].client_id]) { $1 }, phone, "unauthorized_client",
                outcome: "not_native")
        }
    }

    @Test("a code that Apple refuses, or that belongs to another user, fails, and the name is saved anyway")
    func code() async throws {
        try await TestPlatform.run { platform in
            let phone = try await Phone.make(platform)
            let ada = try await phone.authorize("Ada Lovelace")
            let grace = try await phone.authorize("Grace Hopper")
            try await expectRefusal(
                ada.body.merging(["code": grace.code]) { $1 }, phone, "invalid_grant", outcome: "other_users_code")
            #expect(try await platform.count("tenant_user", where: "given_name = 'Ada'") == 1)
            #expect(try await platform.count("identity", where: "sealed_refresh_token IS NOT NULL") == 0)
            try await expectRefusal(
                ada.body.merging(["code": "made-up"]) { $1 }, phone, "invalid_grant", outcome: "apple_refused")
            // The failed request has used up nothing.
            let answer = try await phone.send(ada.body)
            #expect(try claims(of: answer.string("id_token"))["name"] as? String == "Ada Lovelace")
            try await expectRefusal(grace.body, phone, "invalid_grant", outcome: "apple_refused", "the code is used")
        }
    }

    @Test("made-up codes for one id_token are limited; it stays valid without a code, and other id_tokens are unaffected")
    func tooManyCodes() async throws {
        try await TestPlatform.run { platform in
            let phone = try await Phone.make(platform)
            let (ada, grace) = (try await phone.authorize("Ada Lovelace"), try await phone.authorize("Grace Hopper"))
            func guess(_ number: Int) async throws -> String {
                let answer = try await phone.send(ada.body.merging(["code": "made-up-\(number)"]) { $1 })
                #expect(answer.isOAuthError(400, "invalid_grant"), "\(answer.body)")
                return answer.string("error_description") ?? ""
            }
            for number in 0..<10 { #expect(try await guess(number).hasPrefix("Apple does not accept the code")) }
            // If a minute has passed in the meantime, one more is allowed.
            var (number, reported) = (10, "")
            while number < 20, !reported.hasPrefix("Too many codes") {
                reported = try await guess(number)
                number += 1
            }
            #expect(number < 20)
            try await expectRefusal(ada.body, phone, "invalid_grant", outcome: "too_many_codes", "the right code arrives after the limit")
            #expect(try await phone.exchange(ada).isOAuthError(400, "invalid_request"))
            #expect(try await phone.send(grace.body).status == 200)
            #expect(try await phone.send(["id_token": ada.idToken, "nonce": ada.nonce!]).status == 200)
        }
    }

    @Test("a failure of Apple becomes temporarily_unavailable, and the name is saved")
    func appleFails() async throws {
        try await TestPlatform.run { platform in
            let phone = try await Phone.make(platform)
            for (fault, outcome) in [
                (["fault": "status", "status": 500], "apple_unavailable"), (["fault": "drop"], "apple_unavailable"),
                (["fault": "malformed_json"], "apple_unavailable"), (["fault": "bad_signature"], "apple_id_token_signature"),
                (["fault": "error", "error": "invalid_client"], "apple_invalid_client"),
            ] as [([String: any Sendable], String)] {
                let credential = try await phone.authorize()
                // A key that Apple refuses is tried once more with the fallback key, if there is one.
                try await platform.simulator.fault(["endpoint": "token", "client_id": phone.bundleID, "times": 1].merging(fault) { $1 })
                let before = try await platform.count("tenant_user", where: "given_name IS NOT NULL")
                try await expectRefusal(
                    credential.body, phone, "temporarily_unavailable", status: 503, outcome: outcome, "\(fault)")
                #expect(try await platform.count("tenant_user", where: "given_name IS NOT NULL") == before + 1, "\(fault)")
                // The id_token is still valid. Only Apple knows whether the code is.
                let again = try await phone.send(["id_token": credential.idToken, "nonce": credential.nonce!])
                #expect(again.status == 200, "\(fault): \(again.body)")
            }
        }
    }

    @Test("a consent that ended after Apple issued the id_token counts, in either order of arrival")
    func consentEnded() async throws {
        try await TestPlatform.run { platform in
            let phone = try await Phone.make(platform)
            #expect(try await phone.send(try await phone.authorize("Ada Lovelace").body).status == 200)
            let credential = try await phone.authorize("Ada Lovelace")
            _ = try await platform.ownerPool.run("UPDATE identity SET revoked_at = now() + interval '1 second'")
            try await expectRefusal(
                ["id_token": credential.idToken, "nonce": credential.nonce!], phone, "invalid_grant", outcome: "consent_ended")
        }
    }

    @Test("a used credential is deleted when it has expired, and not earlier")
    func forgotten() async throws {
        try await TestPlatform.run { platform in
            let phone = try await Phone.make(platform)
            #expect(try await phone.send(try await phone.authorize().body).status == 200)
            // The id_token, and the nonce in both of its forms.
            #expect(try await platform.count("single_use") == 3)
            try await SingleUses.forgetOld(in: PlatformDatabase(platform.pool), at: Date())
            #expect(try await platform.count("single_use") == 3)
            try await SingleUses.forgetOld(in: PlatformDatabase(platform.pool), at: Date(timeIntervalSinceNow: 86400 + 120))
            #expect(try await platform.count("single_use") == 0)
        }
    }

    @Test("neither the log nor a refusal contains any part of the credential")
    func secrecy() async throws {
        try await TestPlatform.run { platform in
            let phone = try await Phone.make(platform)
            try await SecondServer.run(beside: platform) { server in
                let url = "\(server.address)/t/acme/auth/apple/callback"
                var secrets: [String] = []
                for fault in [nil, "error", "bad_signature"] {
                    if let fault {
                        var fields: [String: any Sendable] = [
                            "endpoint": "token", "client_id": phone.bundleID, "times": 1, "fault": fault,
                        ]
                        if fault == "error" { fields["error"] = "invalid_grant" }
                        try await platform.simulator.fault(fields)
                    }
                    let credential = try await phone.authorize("Zebediah Quux-\(fault ?? "none")")
                    let answer = try await phone.send(credential.body, to: url)
                    #expect((answer.status == 200) == (fault == nil))
                    let presented = [credential.idToken, credential.code, credential.nonce!, "Zebediah"]
                    for secret in presented where answer.status != 200 { #expect(!answer.body.contains(secret)) }
                    secrets += presented + ["access_token", "refresh_token", "id_token"].compactMap { answer.string($0) }
                    _ = try await phone.send(credential.body, to: url)
                }
                #expect(server.log.text.contains("native sign-in refused"))
                for secret in secrets { #expect(!server.log.text.contains(secret)) }
            }
        }
    }
}
