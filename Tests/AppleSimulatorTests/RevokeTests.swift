import AppleSimulator
import JWTKit
import Testing

@Suite("Revoke")
struct RevokeTests {
    private func revoke(_ website: Website, _ changes: [String: String?]) async throws -> Answer {
        var form = ["client_id": Website.clientID, "client_secret": try await website.secret()]
        for (name, value) in changes { form[name] = value }
        return try await Website.send("POST", "\(website.url)/auth/revoke", form: form)
    }

    @Test(
        "revoking either token ends the consent: the refresh token is invalid and the next authorization sends user again",
        arguments: ["refresh_token", "access_token"])
    func endsConsent(_ kind: String) async throws {
        try await withSimulator { website in
            let tokens = try await website.redeem(website.code())
            #expect(try await website.authorize().hiddenFields["user"] == nil)
            let answer = try await revoke(website, ["token": tokens[kind] as? String, "token_type_hint": kind])
            #expect(answer.status == 200)
            #expect(answer.text.isEmpty)
            let refreshed = try await website.redeem(
                "", ["grant_type": "refresh_token", "refresh_token": tokens["refresh_token"] as? String])
            #expect(refreshed.error == "invalid_grant")
            #expect(try await website.authorize().hiddenFields["user"] != nil)
        }
    }

    @Test("a code from before the revocation is rejected")
    func endsCodes() async throws {
        try await withSimulator { website in
            let tokens = try await website.redeem(website.code())
            let code = try await website.code()
            expectSuccess(try await revoke(website, ["token": tokens["refresh_token"] as? String]))
            #expect(try await website.redeem(code).error == "invalid_grant")
        }
    }

    @Test("the subject is the same after a new consent")
    func sameSubject() async throws {
        try await withSimulator { website in
            let tokens = try await website.redeem(website.code())
            expectSuccess(try await revoke(website, ["token": tokens["refresh_token"] as? String]))
            #expect(try await website.signIn()["sub"] == (try await website.verified(tokens["id_token"])["sub"]))
        }
    }

    @Test("an unknown or revoked token gets the same response as a valid one")
    func alreadyInvalid() async throws {
        try await withSimulator { website in
            let token = try await website.redeem(website.code())["refresh_token"] as? String
            for token in [token, token, "made-up"] {
                let answer = try await revoke(website, ["token": token])
                #expect(answer.status == 200)
                #expect(answer.text.isEmpty)
            }
        }
    }

    @Test("another client's token stays valid")
    func foreignToken() async throws {
        try await withSimulator { website in
            let token = try await website.redeem(website.code())["refresh_token"] as? String
            let secret = try await website.secret(website.secretClaims(clientID: Website.bundleID))
            let answer = try await revoke(website, ["client_id": Website.bundleID, "client_secret": secret, "token": token])
            #expect(answer.status == 200)
            #expect(try await website.redeem("", ["grant_type": "refresh_token", "refresh_token": token]).status == 200)
        }
    }

    @Test("an invalid secret, a missing token and an unknown hint are rejected")
    func refusals() async throws {
        try await withSimulator { website in
            let bad = try await revoke(website, ["client_secret": website.secret(key: ES256PrivateKey()), "token": "t"])
            #expect(bad.error == "invalid_client")
            #expect(try await revoke(website, [:]).error == "invalid_request")
            #expect(try await revoke(website, ["token": "t", "token_type_hint": "id_token"]).error == "invalid_request")
        }
    }
}
