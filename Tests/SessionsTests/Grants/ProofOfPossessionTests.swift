import Foundation
import NIOHTTP1
import Postgres
import Sealing
import Server
@testable import Sessions
import Tenancy
import TestSupport
import Testing

/// Tokens that are bound to a key of the application (DPoP, RFC 9449).
@Suite("Proof of possession")
struct ProofOfPossessionTests {
    /// A public application's browser with a key.
    private struct Stage: Sendable {
        let platform: TestPlatform
        let browser: TestBrowser
        let request: TestBrowser.Request
        let key: ClientKey

        init(_ platform: TestPlatform, application: Int = 1) throws {
            (self.platform, browser, key) = (platform, TestBrowser(platform), try ClientKey(nil))
            request = TestBrowser.Request(platform.acme, application: application)
        }

        var issuer: String { platform.acme.issuer }

        func nonce() async throws -> String {
            let answer = try await token([("grant_type", "refresh_token")], proof: try key.proof("\(issuer)/oauth2/token", nonce: nil))
            #expect(answer.isOAuthError(400, "use_dpop_nonce"))
            return answer.header("DPoP-Nonce") ?? ""
        }

        func token(_ form: [(String, String)], proof: String?) async throws -> TestBrowser.Answer {
            var form = form + [("client_id", request.application.client_id)]
            if let secret = request.application.client_secret { form.append(("client_secret", secret)) }
            return try await browser.post("\(issuer)/oauth2/token", form: form, headers: proof.map { [("DPoP", $0)] } ?? [])
        }

        func redeem(_ code: String, by key: ClientKey?) async throws -> TestBrowser.Answer {
            try await token(
                [
                    ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", request.redirectURI),
                    ("code_verifier", request.verifier),
                ], proof: try await proof(by: key))
        }

        func refresh(_ token: String, by key: ClientKey?) async throws -> TestBrowser.Answer {
            try await self.token([("grant_type", "refresh_token"), ("refresh_token", token)], proof: try await proof(by: key))
        }

        private func proof(by key: ClientKey?) async throws -> String? {
            guard let key else { return nil }
            return try key.proof("\(issuer)/oauth2/token", nonce: try await nonce())
        }

        func userInfo(_ token: String, _ scheme: String = "DPoP", proof: String?) async throws -> TestBrowser.Answer {
            try await browser.get(
                "\(issuer)/oauth2/userinfo", headers: [("Authorization", "\(scheme) \(token)")] + (proof.map { [("DPoP", $0)] } ?? []))
        }
    }

    @Test("a login with a proof gets tokens that only the owner of the key can use")
    func login() async throws {
        try await TestPlatform.run { platform in
            let stage = try Stage(platform)
            let (key, url) = (stage.key, "\(stage.issuer)/oauth2/userinfo")
            let answer = try await stage.redeem(try await stage.browser.code(stage.request), by: key)
            #expect(answer.status == 200 && answer.string("token_type") == "DPoP", "\(answer.body)")
            let thumbprint = try key.thumbprint
            let (access, refresh) = (answer.string("access_token") ?? "", answer.string("refresh_token") ?? "")
            #expect((try claims(of: access)["cnf"] as? [String: String]) == ["jkt": try key.thumbprint])
            let nonce = try #require(answer.header("DPoP-Nonce"))

            let proof = try key.proof(url, method: "GET", nonce: nonce, token: access)
            let shown = try await stage.userInfo(access, proof: proof)
            #expect(shown.status == 200 && shown.header("DPoP-Nonce") != nil, "\(shown.body)")
            // A second use of the proof.
            let replayed = try await stage.userInfo(access, "dpop", proof: proof)
            #expect(replayed.isOAuthError(401, "invalid_dpop_proof") && replayed.header("WWW-Authenticate")?.hasPrefix("DPoP ") == true)
            // A thief has the token, and not the key.
            for (scheme, proof, error) in [
                ("Bearer", nil, "invalid_token"), ("DPoP", nil, "invalid_dpop_proof"),
                ("DPoP", try ClientKey(nil).proof(url, method: "GET", nonce: nonce, token: access), "invalid_token"),
                ("DPoP", try key.proof(url, method: "GET", nonce: nonce), "invalid_dpop_proof"),
                ("DPoP", try key.proof(url, method: "GET", nonce: nil, token: access), "use_dpop_nonce"),
            ] {
                let refused = try await stage.userInfo(access, scheme, proof: proof)
                #expect(refused.isOAuthError(401, error), "\(refused.body)")
                #expect(refused.header("WWW-Authenticate")?.contains(#"algs="ES256 RS256 PS256""#) == true)
            }
            let me = "\(stage.issuer)/users/me"
            let kept = try await stage.browser.send("DELETE", me, headers: [("Authorization", "Bearer \(access)")], body: nil)
            #expect(kept.isOAuthError(401, "invalid_token"))

            // The refresh token works only with the key. A refusal does not use it up.
            #expect(try await stage.refresh(refresh, by: nil).isOAuthError(400, "invalid_dpop_proof"))
            #expect(try await stage.refresh(refresh, by: ClientKey(nil)).isOAuthError(400, "invalid_dpop_proof"))
            let refreshed = try await stage.refresh(refresh, by: key)
            #expect(refreshed.status == 200 && refreshed.string("token_type") == "DPoP", "\(refreshed.body)")
            #expect(try await stage.refresh(refresh, by: nil).isOAuthError(400, "invalid_dpop_proof"))
            let again = try await stage.refresh(refreshed.string("refresh_token") ?? "", by: key)
            #expect(again.status == 200, "\(again.body)")

            let machine = try await platform.resourceServer()
            let seen = try await platform.introspect(again.string("access_token") ?? "", as: machine)
            #expect(seen.string("token_type") == "DPoP" && seen.json["cnf"] as? [String: String] == ["jkt": thumbprint])
            let gone = try await stage.browser.send(
                "DELETE", me,
                headers: [
                    ("Authorization", "DPoP \(access)"), ("DPoP", try key.proof(me, method: "DELETE", nonce: nonce, token: access)),
                ], body: nil)
            #expect(gone.status == 200, "\(gone.body)")
        }
    }

    @Test("the refresh tokens of a confidential application are not bound, because it authenticates")
    func confidential() async throws {
        try await TestPlatform.run { platform in
            let stage = try Stage(platform, application: 0)
            let answer = try await stage.redeem(try await stage.browser.code(stage.request), by: stage.key)
            #expect(answer.string("token_type") == "DPoP", "\(answer.body)")
            let other = try ClientKey(nil)
            let refreshed = try await stage.refresh(answer.string("refresh_token") ?? "", by: other)
            #expect((try claims(of: refreshed.string("access_token"))["cnf"] as? [String: String]) == ["jkt": try other.thumbprint])
            let bearer = try await stage.refresh(refreshed.string("refresh_token") ?? "", by: nil)
            #expect(bearer.string("token_type") == "Bearer")
            #expect(try claims(of: bearer.string("access_token"))["cnf"] == nil)
        }
    }

    @Test("the first proof in a refresh binds the session of a public application")
    func later() async throws {
        try await TestPlatform.run { platform in
            let stage = try Stage(platform)
            let answer = try await stage.redeem(try await stage.browser.code(stage.request), by: nil)
            #expect(answer.string("token_type") == "Bearer")
            let bound = try await stage.refresh(answer.string("refresh_token") ?? "", by: stage.key)
            #expect(bound.string("token_type") == "DPoP", "\(bound.body)")
            #expect(try await stage.refresh(bound.string("refresh_token") ?? "", by: nil).isOAuthError(400, "invalid_dpop_proof"))
        }
    }

    @Test("a thief who binds an unbound session to another key loses it when the application uses its token again")
    func stolen() async throws {
        try await TestPlatform.run { platform in
            let stage = try Stage(platform)
            let tokens = try await stage.redeem(try await stage.browser.code(stage.request), by: nil)
            let refresh = tokens.string("refresh_token") ?? ""
            let stolen = try await stage.refresh(refresh, by: stage.key)
            #expect(stolen.status == 200)
            _ = try await platform.ownerPool.run("UPDATE session SET refreshed_at = refreshed_at - interval '31 seconds'")
            #expect(try await stage.refresh(refresh, by: nil).isOAuthError(400, "invalid_grant"))
            #expect(try await stage.refresh(stolen.string("refresh_token") ?? "", by: stage.key).isOAuthError(400, "invalid_grant"))
        }
    }

    @Test("proofs without a fresh nonce do not use up the limit of an address for failed requests")
    func limit() async throws {
        try await TestPlatform.run({ $0.apiRequestsPerMinute = 10 }) { platform in
            let stage = try Stage(platform)
            for _ in 0..<15 { _ = try await stage.nonce() }
            #expect(try await stage.redeem(try await stage.browser.code(stage.request), by: stage.key).status == 200)
        }
    }

    @Test("a proof for an ended session writes nothing")
    func ended() async throws {
        try await TestPlatform.run { platform in
            let stage = try Stage(platform)
            let answer = try await stage.redeem(try await stage.browser.code(stage.request), by: stage.key)
            let (access, nonce) = (answer.string("access_token") ?? "", answer.header("DPoP-Nonce"))
            let form = [("token", access), ("client_id", stage.request.application.client_id)]
            #expect(try await stage.browser.post("\(stage.issuer)/oauth2/revoke", form: form).status == 200)
            for _ in 0..<2 {
                let proof = try stage.key.proof("\(stage.issuer)/oauth2/userinfo", method: "GET", nonce: nonce, token: access)
                #expect(try await stage.userInfo(access, proof: proof).isOAuthError(401, "invalid_token"))
            }
            #expect(try await platform.count("single_use", where: "true") == 0)
        }
    }

    @Test("dpop_jkt binds the code to a key (section 10)")
    func code() async throws {
        try await TestPlatform.run { platform in
            let stage = try Stage(platform)
            let url = stage.request.authorizeURL(changing: ["dpop_jkt": try stage.key.thumbprint])
            func code() async throws -> String {
                let apple = try await stage.browser.atApple(try await stage.browser.get(url), person: "new")
                return try await stage.browser.callback(apple)["code"] ?? ""
            }
            let bound = try await code()
            #expect(try await stage.redeem(bound, by: nil).isOAuthError(400, "invalid_dpop_proof"))
            #expect(try await stage.redeem(bound, by: ClientKey(nil)).isOAuthError(400, "invalid_dpop_proof"))
            let answer = try await stage.redeem(bound, by: stage.key)
            #expect(answer.status == 200 && answer.string("token_type") == "DPoP", "\(answer.body)")
            for wrong in ["x", String(repeating: "a", count: 44), try stage.key.thumbprint + "\u{0301}"] {
                let refused = try await stage.browser.get(stage.request.authorizeURL(changing: ["dpop_jkt": wrong]))
                #expect(refused.reports(stage.request, "invalid_request"), "\(wrong)")
            }
        }
    }

    @Test("an application with requires_dpop gets no token without a proof, and refusals use up nothing")
    func required() async throws {
        try await TestPlatform.run { platform in
            let stage = try Stage(platform)
            let path = "/tenants/acme/applications/\(stage.request.application.client_id)"
            #expect(try await platform.call("PATCH", path, ["requires_dpop": true]).status == 200)
            platform.installation.directory.forgetAll(isFresh: true)
            let code = try await stage.browser.code(stage.request)
            #expect(try await stage.redeem(code, by: nil).isOAuthError(400, "invalid_dpop_proof"))
            let answer = try await stage.redeem(code, by: stage.key)
            #expect(answer.status == 200, "\(answer.body)")
            #expect(try await stage.refresh(answer.string("refresh_token") ?? "", by: nil).isOAuthError(400, "invalid_dpop_proof"))

            let phone = try await Phone.make(platform)
            let credential = try await phone.authorize()
            let refused = try await phone.exchange(credential)
            #expect(refused.isOAuthError(400, "invalid_dpop_proof"), "\(refused.body)")
            let proof = try stage.key.proof(phone.callback, nonce: try await stage.nonce())
            let signedIn = try await phone.send(
                credential.body.merging(["client_id": phone.application.client_id]) { $1 }, headers: [("DPoP", proof)])
            #expect(signedIn.status == 200 && signedIn.string("token_type") == "DPoP", "\(signedIn.body)")
        }
    }

    @Test("a machine's token is bound, too")
    func machine() async throws {
        try await TestPlatform.run { platform in
            let machine = try await platform.resourceServer()
            try await platform.createAPI("https://orders.test", scopes: ["orders:read"], for: [machine.id: nil])
            #expect(try await platform.call("PATCH", "/tenants/acme/applications/\(machine.id)", ["requires_dpop": true]).status == 200)
            platform.installation.directory.forgetAll(isFresh: true)
            let stage = try Stage(platform)
            let form = [("grant_type", "client_credentials"), ("client_id", machine.id), ("client_secret", machine.secret ?? "")]
            let url = "\(stage.issuer)/oauth2/token"
            #expect(try await stage.browser.post(url, form: form).isOAuthError(400, "invalid_dpop_proof"))
            let proof = try stage.key.proof(url, nonce: try await stage.nonce())
            let answer = try await stage.browser.post(url, form: form, headers: [("DPoP", proof)])
            #expect(answer.string("token_type") == "DPoP", "\(answer.body)")
            let seen = try await platform.introspect(answer.string("access_token") ?? "", as: machine)
            #expect(seen.json["cnf"] as? [String: String] == ["jkt": try stage.key.thumbprint], "\(seen.body)")
        }
    }

    @Test("a nonce is accepted for five minutes, by every server")
    func nonce() async throws {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let keyring = try Keyring([.generate()])
        let nonce = DPoPNonce(at: now).sealed(with: keyring)
        func isFresh(_ seconds: TimeInterval) -> Bool? {
            DPoPNonce(opening: nonce, with: keyring)?.isFresh(at: now.addingTimeInterval(seconds))
        }
        #expect(isFresh(-61) == false && isFresh(-60) == true && isFresh(299.9) == true && isFresh(300) == false)
        for wrong in ["", "x", nonce + "A", String(repeating: "A", count: 4000), nonce + "\u{200D}"] {
            #expect(DPoPNonce(opening: wrong, with: keyring) == nil)
        }
    }

    @Test("two proofs, a malformed one and one for another URL are refused before anything else")
    func malformed() async throws {
        try await TestPlatform.run { platform in
            let stage = try Stage(platform)
            let (url, nonce) = ("\(stage.issuer)/oauth2/token", try await stage.nonce())
            for headers in [
                [("DPoP", "x")], [("DPoP", try stage.key.proof(url, nonce: nonce)), ("DPoP", try stage.key.proof(url, nonce: nonce))],
                [("DPoP", try stage.key.proof("\(stage.issuer)/oauth2/revoke", nonce: nonce))],
                [("DPoP", try stage.key.proof(url, method: "GET", nonce: nonce))],
            ] {
                let answer = try await stage.browser.post(url, form: [("grant_type", "refresh_token")], headers: headers)
                #expect(answer.isOAuthError(400, "invalid_dpop_proof"), "\(answer.body)")
                #expect(answer.header("DPoP-Nonce") != nil)
            }
        }
    }
}
