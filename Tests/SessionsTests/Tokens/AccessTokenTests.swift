import Foundation
import JWTKit
import NIOHTTP1
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

/// Access tokens as resource servers receive them (RFC 9068, sections 2 and 4).
@Suite("Access tokens")
struct AccessTokenTests {
    private struct Claims: JWTPayload {
        let iss, aud, sub, client_id, tid, sid, jti, scope, user_type: String
        let iat, exp: Int

        func verify(using _: some JWTAlgorithm) {}
    }

    @Test("header and claims are those of the RFC, and a key of the JWKS verifies them", arguments: ["ES256", "RS256"])
    func profile(algorithm: String) async throws {
        try await TestPlatform.run { platform in
            let party = try await RelyingParty(platform)
            try await party.setSigningAlgorithm(algorithm)
            let login = try await party.login()
            let token = login.accessToken

            let header = try jwtHeader(token)
            #expect(Set(header.keys) == ["alg", "kid", "typ"])
            #expect(header["typ"] == "at+jwt")
            #expect(header["alg"] == algorithm)
            let jwks = try await party.browser.get(party.string("jwks_uri")).body
            let claims = try await JWTKeyCollection().add(jwksJSON: jwks).verify(token, as: Claims.self)

            #expect(claims.iss == party.string("issuer"))
            // Without a resource in the request, the audience has a default value (section 3): every resource server of the tenant.
            #expect(claims.aud == party.string("issuer"))
            #expect(claims.sub == login.subject)
            #expect(claims.client_id == party.request.application.client_id)
            #expect(claims.scope == login.answer.string("scope"))
            #expect(claims.exp - claims.iat == login.answer.json["expires_in"] as? Int)
            #expect(abs(claims.iat - Int(Date().timeIntervalSince1970)) < 300)
            #expect(claims.sid == login.idToken["sid"] as? String)
            #expect(claims.tid == platform.acme.id)
            #expect(claims.user_type == "apple")

            let other = try await party.login()
            let otherClaims = try await JWTKeyCollection().add(jwksJSON: jwks).verify(other.accessToken, as: Claims.self)
            #expect(otherClaims.jti != claims.jti)
        }
    }

    @Test("an id_token is not valid as an access token or the reverse, because typ and audience differ")
    func distinct() async throws {
        try await TestPlatform.run { platform in
            let party = try await RelyingParty(platform)
            let login = try await party.login()
            let idToken = try #require(login.answer.string("id_token"))
            #expect(try jwtHeader(idToken)["typ"] == "JWT")
            #expect(try claims(of: login.accessToken)["aud"] as? String != login.idToken["aud"] as? String)
            #expect(try await party.userInfo(idToken).isOAuthError(401, "invalid_token"))
        }
    }
}
