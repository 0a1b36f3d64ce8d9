import AppleSimulator
import Crypto
import Foundation
import JWTKit
import Testing

@Suite("Token")
struct TokenTests {
    @Test("a code returns tokens, and the id_token contains Apple's claims")
    func codeGivesTokens() async throws {
        try await withSimulator { website in
            let answer = try await website.redeem(website.code(as: "Grace Hopper"))
            #expect(answer.status == 200)
            #expect(answer["token_type"] as? String == "Bearer")
            #expect(answer["expires_in"] as? Int == 3600)
            #expect(answer["refresh_token"] is String)
            #expect(answer.header("date") != nil)
            let claims = try await website.verified(answer["id_token"])
            #expect(claims["iss"] == "https://appleid.apple.com")
            #expect(claims["aud"] == .string(Website.clientID))
            #expect(claims["nonce"] == "nonce-1")
            #expect(claims["nonce_supported"] == true)
            #expect(claims["email"] == "grace-hopper@example.com")
            #expect(claims["email_verified"] == true)
            #expect(claims["is_private_email"] == false)
            #expect(claims["real_user_status"] == nil)
            #expect(claims["sub"]?.asString?.wholeMatch(of: /\d{6}\.[0-9a-f]{32}\.\d{4}/) != nil)
            let (issued, expires) = (claims["iat"]?.asInt ?? 0, claims["exp"]?.asInt ?? 0)
            #expect(abs(Double(issued) - Date().timeIntervalSince1970) < 60)
            #expect(expires > issued)
            #expect(claims["auth_time"]?.asInt != nil)
            let hash = SHA256.hash(data: Data(try #require(answer["access_token"] as? String).utf8)).prefix(16)
            let atHash = Data(hash).base64EncodedString().replacingOccurrences(of: "+", with: "-")
                .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
            #expect(claims["at_hash"] == .string(atHash))
        }
    }

    @Test("the id_token has no nonce if none was sent")
    func noNonce() async throws {
        try await withSimulator { website in
            let answer = try await website.signIn(["nonce": nil])
            #expect(answer["nonce"] == nil)
        }
    }

    @Test("a used code is rejected")
    func reusedCode() async throws {
        try await withSimulator { website in
            let code = try await website.code()
            #expect(try await website.redeem(code).status == 200)
            let again = try await website.redeem(code)
            #expect(again.status == 400)
            #expect(again.error == "invalid_grant")
        }
    }

    @Test("one of two concurrent redemptions receives tokens")
    func racingRedemptions() async throws {
        try await withSimulator { website in
            let code = try await website.code()
            async let first = website.redeem(code)
            async let second = website.redeem(code)
            #expect(try await [first.status, second.status].sorted() == [200, 400])
        }
    }

    @Test("a code is valid for five minutes, and not a second longer")
    func expiredCode() async throws {
        let clock = TestClock()
        try await withSimulator(AppleSimulator.Configuration(clock: { clock.now })) { website in
            let (early, late) = (try await website.code(), try await website.code())
            clock.advance(seconds: 299)
            func secret() async throws -> String { try await website.secret(website.secretClaims(at: clock.now)) }
            #expect(try await website.redeem(early, ["client_secret": secret()]).status == 200)
            clock.advance(seconds: 1)
            #expect(try await website.redeem(late, ["client_secret": secret()]).error == "invalid_grant")
        }
    }

    @Test("another client's code is rejected, and stays valid for its own client")
    func foreignCode() async throws {
        try await withSimulator { website in
            let code = try await website.code()
            let secret = try await website.secret(website.secretClaims(clientID: Website.bundleID))
            let foreign = try await website.redeem(code, ["client_id": Website.bundleID, "client_secret": secret])
            #expect(foreign.error == "invalid_grant")
            #expect(foreign.reason?.contains("another client") == true)
            #expect(try await website.redeem(code).status == 200)
        }
    }

    @Test("redirect_uri must equal that of the authorization request", arguments: ["https://example.com/callback", nil])
    func otherRedirectURI(_ redirectURI: String?) async throws {
        try await withSimulator { website in
            let answer = try await website.redeem(website.code(), ["redirect_uri": redirectURI])
            #expect(answer.error == "invalid_grant")
            #expect(answer.reason?.contains("redirect_uri") == true)
        }
    }

    @Test("a missing parameter is invalid_request", arguments: ["client_id", "client_secret", "grant_type", "code"])
    func missing(_ parameter: String) async throws {
        try await withSimulator { website in
            let answer = try await website.redeem("made-up", [parameter: nil])
            #expect(answer.status == 400)
            #expect(answer.error == "invalid_request")
            #expect(answer.reason?.contains(parameter) == true)
        }
    }

    @Test("another grant type is unsupported_grant_type")
    func otherGrant() async throws {
        try await withSimulator { website in
            let answer = try await website.redeem("made-up", ["grant_type": "password"])
            #expect(answer.error == "unsupported_grant_type")
        }
    }

    @Test("a body that is not a form is invalid_request")
    func noForm() async throws {
        try await withSimulator { website in
            let answer = try await website.send("POST", "/auth/token", json: "{}")
            #expect(answer.error == "invalid_request")
        }
    }

    @Test("a refresh token returns an id_token for the same person, repeatedly, and no new refresh token")
    func refresh() async throws {
        try await withSimulator { website in
            let first = try await website.redeem(website.code())
            let form = ["grant_type": "refresh_token", "refresh_token": first["refresh_token"] as? String, "redirect_uri": nil]
            for _ in 1...2 {
                let refreshed = try await website.redeem("", form)
                #expect(refreshed.status == 200)
                #expect(refreshed["refresh_token"] == nil)
                #expect(refreshed["access_token"] is String)
                let claims = try await website.verified(refreshed["id_token"])
                #expect(claims["sub"] == (try await website.verified(first["id_token"])["sub"]))
                #expect(claims["nonce"] == nil)
            }
        }
    }

    @Test("an unknown refresh token, or an access token instead, is invalid_grant")
    func wrongRefreshToken() async throws {
        try await withSimulator { website in
            let access = try await website.redeem(website.code())["access_token"] as? String
            for token in ["made-up", access] {
                #expect(try await website.redeem("", ["grant_type": "refresh_token", "refresh_token": token]).error == "invalid_grant")
            }
        }
    }

    @Test("a native code is redeemed with the bundle ID and without redirect_uri, and has real_user_status the first time")
    func native() async throws {
        try await withSimulator { website in
            let body = #"{"client_id": "com.example.app", "person": "Ada Lovelace", "nonce": "n"}"#
            let secret = try await website.secret(website.secretClaims(clientID: Website.bundleID))
            let client = ["client_id": Website.bundleID, "client_secret": secret, "redirect_uri": nil]
            let first = try await website.send("POST", "/simulator/native-authorizations", json: body)
            #expect(first.status == 201)
            #expect((first["full_name"] as? [String: String]) == ["given_name": "Ada", "family_name": "Lovelace"])
            #expect(try await website.verified(first["identity_token"])["aud"] == .string(Website.bundleID))
            let tokens = try await website.redeem(try #require(first["authorization_code"] as? String), client)
            let claims = try await website.verified(tokens["id_token"])
            #expect(claims["real_user_status"] == 2)
            #expect(claims["nonce"] == "n")
            let second = try await website.send("POST", "/simulator/native-authorizations", json: body)
            #expect(second["full_name"] == nil)
            #expect(try await website.verified(second["identity_token"])["real_user_status"] == nil)
        }
    }
}
