import Access
import Foundation
import Postgres
import Server
@testable import Signing
import Tenancy
import TestSupport
import Testing

/// After a replacement, no process uses keys that someone else may have.
@Suite("Compromised signing keys")
struct CompromisedSigningKeysTests {
    /// The signing keys of a process that caches them until it is notified of a change. The test decides when that happens.
    private func otherProcess(_ platform: TestPlatform) -> SigningKeys {
        let keys = SigningKeys(pool: platform.pool, keyring: platform.settings.keyring, now: { Date() })
        keys.forgetAll(isFresh: true)
        return keys
    }

    /// An access token of a session, signed now with the current key of a process.
    private func signed(by keys: SigningKeys, for tokens: [String: any Sendable], _ platform: TestPlatform) async throws -> String {
        var claims = try claims(of: tokens["access_token"] as? String)
        claims["iat"] = Int(Date().timeIntervalSince1970)
        return try await platform.sign(claims, header: ["typ": "at+jwt"], with: keys)
    }

    @Test("every process refuses all their signatures at once; sessions stay active, and applications only refresh")
    func dropped() async throws {
        try await TestPlatform.run { platform in
            try await SecondServer.run(beside: platform) { server in
                let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
                let first = try await browser.tokens(request)
                let untouched = try await platform.publishedKeys(of: platform.acme, at: server.address)
                try await platform.ageSigningKeys()
                #expect(try await platform.rotateSigningKeys().status == 200)
                let second = try await browser.tokens(request)
                let stolen = [first, second].map { $0["access_token"] as? String }
                for token in stolen {
                    #expect(try await platform.isTaken(token))
                    try await eventually("the other process accepts it") { try await platform.isTaken(token, at: server.address) }
                }
                let known = Set(try await platform.signingKeys(of: platform.acme).map(\.id.description))
                #expect(known.count == 3 && known.isSuperset(of: untouched))

                let answer = try await platform.rotateSigningKeys(["compromised": true])
                #expect(answer.status == 200, "\(answer.body)")
                #expect(answer.json["compromised"] as? Bool == true)
                #expect(answer.signingKeys.map { $0["state"] as? String } == ["current", "next"])
                let keys = answer.signingKeys.compactMap { $0["id"] as? String }
                // This process knows the change before it responds.
                for token in stolen { #expect(try await !platform.isTaken(token)) }
                #expect(try await platform.publishedKeys(of: platform.acme) == keys)
                for token in stolen {
                    try await eventually("the other process refuses it") { try await !platform.isTaken(token, at: server.address) }
                }
                #expect(try await platform.publishedKeys(of: platform.acme, at: server.address) == keys)
                #expect(known.isDisjoint(with: keys))
                // The private halves were deleted with the rows.
                #expect(try await platform.signingKeys(of: platform.acme).map(\.id.description) == keys)

                for tokens in [first, second] {
                    let refreshed = try await browser.refresh(tokens["refresh_token"] as! String, request)
                    #expect(refreshed.status == 200, "\(refreshed.body)")
                    let access = refreshed.string("access_token")
                    #expect(try jwtHeader(access)["kid"] == keys[0])
                    #expect(try claims(of: access)["sid"] as? String == claims(of: tokens["access_token"] as? String)["sid"] as? String)
                    #expect(try await platform.isTaken(access))
                    #expect(try await platform.isTaken(access, at: server.address))
                }
                let code = try await browser.code(request)
                let there = try await server.redeem(code, request, browser)
                #expect(try jwtHeader(there.string("id_token"))["kid"] == keys[0])

                let audited = try await platform.audited("rotateSigningKeys").last
                let before = audited?.before["signing_keys"] as? [[String: any Sendable]] ?? []
                #expect(Set(before.compactMap { $0["id"] as? String }) == known)
            }
        }
    }

    @Test("a process that does not know a rotation yet signs valid tokens; after a replacement, invalid ones")
    func late() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let tokens = try await browser.tokens(request)
            let (late, tenant) = (otherProcess(platform), try #require(ID<Tenant>(platform.acme.id)))
            let old = try await late.current(.ES256, of: tenant).keyID
            try await platform.ageSigningKeys()
            #expect(try await platform.rotateSigningKeys().status == 200)
            let behind = try await signed(by: late, for: tokens, platform)
            #expect(try jwtHeader(behind)["kid"] == old)
            #expect(try await platform.isTaken(behind))

            try await platform.ageSigningKeys()
            #expect(try await platform.rotateSigningKeys(["compromised": true, "algorithm": "ES256"]).status == 200)
            let forged = try await signed(by: late, for: tokens, platform)
            #expect(try jwtHeader(forged)["kid"] == old)
            #expect(try await !platform.isTaken(forged))
            late.forget(tenant.uuid)
            let fresh = try await signed(by: late, for: tokens, platform)
            #expect(try await platform.publishedKeys(of: platform.acme).first == jwtHeader(fresh)["kid"])
            #expect(try await platform.isTaken(fresh))
        }
    }

    @Test("keys of the other algorithm stay, and repeated replacements are refused")
    func bounded() async throws {
        try await TestPlatform.run { platform in
            let signing = otherProcess(platform)
            let tenant = try #require(ID<Tenant>(platform.acme.id))
            try await signing.prepare(.ES256, of: tenant)
            try await signing.prepare(.RS256, of: tenant)
            let before = try await platform.signingKeys(of: platform.acme)
            #expect(before.map(\.algorithm) == [.ES256, .RS256, .ES256, .RS256])
            let early = try await platform.rotateSigningKeys(["compromised": true])
            #expect(early.isProblem(409, "conflict"))
            #expect((1...60).contains(Int(early.header("Retry-After") ?? "") ?? 0))
            try await platform.ageSigningKeys(by: 61)
            #expect(try await platform.rotateSigningKeys(["compromised": true, "algorithm": "ES256"]).status == 200)
            let after = try await platform.signingKeys(of: platform.acme)
            #expect(after.map(\.algorithm) == [.ES256, .RS256, .ES256, .RS256])
            #expect(after.filter { $0.algorithm == .RS256 }.map(\.id) == before.filter { $0.algorithm == .RS256 }.map(\.id))
            #expect(Set(after.map(\.id)).intersection(before.map(\.id)).count == 2)
            #expect(try await platform.rotateSigningKeys(["compromised": true]).isProblem(409, "conflict"))
            #expect(try await platform.rotateSigningKeys(["compromised": true, "algorithm": "RS256"]).status == 200)
            #expect(Set(try await platform.signingKeys(of: platform.acme).map(\.id)).isDisjoint(with: before.map(\.id)))
        }
    }
}
