import Access
import Encoding
import Foundation
import JWTKit
import Postgres
import Sealing
import Server
@testable import Signing
import Tenancy
import TestSupport
import Testing

@Suite("Rotate signing keys")
struct RotateSigningKeysTests {
    private struct Signed: JWTPayload {
        let iss: IssuerClaim
        func verify(using algorithm: some JWTAlgorithm) async throws {}
    }

    @Test("the next key of the JWKS signs; the previous key stays published for its tokens; a new key is next")
    func promoted() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let before = try await browser.tokens(request)
            let published = try await platform.publishedKeys(of: platform.acme)
            #expect(published.count == 2)
            #expect(try jwtHeader(before["access_token"] as? String)["kid"] == published[0])
            try await platform.ageSigningKeys()

            let answer = try await platform.rotateSigningKeys()
            #expect(answer.status == 200, "\(answer.body)")
            #expect(answer.json["compromised"] as? Bool == false)
            #expect(answer.signingKeys.map { $0["state"] as? String } == ["current", "next", "retired"])
            let keys = answer.signingKeys.compactMap { $0["id"] as? String }
            #expect([keys[0], keys[2]] == [published[1], published[0]])
            #expect(!published.contains(keys[1]))
            let retired = try #require(try await platform.signingKeys(of: platform.acme).last)
            #expect(retired.published_until! >= retired.retired_at! + 86400)

            let now = try await browser.tokens(request)
            #expect(try await platform.publishedKeys(of: platform.acme) == keys)
            let jwks = try JSONDecoder().decode(
                JWKS.self, from: Data(try await browser.get("\(platform.acme.issuer)/oauth2/jwks").body.utf8))
            let library = try await JWTKeyCollection().add(jwks: jwks)
            for (tokens, signer) in [(before, published[0]), (now, published[1])] {
                for token in [tokens["access_token"] as? String, tokens["id_token"] as? String] {
                    #expect(try jwtHeader(token)["kid"] == signer)
                    #expect(try await library.verify(try #require(token), as: Signed.self).iss.value == platform.acme.issuer)
                }
                #expect(try await platform.isTaken(tokens["access_token"] as? String))
            }

            let audited = try await platform.audited("rotateSigningKeys")
            #expect(audited.map(\.subject) == [platform.acme.id])
            let named = audited.flatMap { [$0.before, $0.after] }.map { $0["signing_keys"] as? [[String: any Sendable]] ?? [] }
            #expect(named.map { $0.compactMap { $0["id"] as? String } } == [published, keys])
        }
    }

    @Test("a key that was not published for long enough does not sign, for a new tenant and after a rotation")
    func tooSoon() async throws {
        try await TestPlatform.run { platform in
            let published = try await platform.publishedKeys(of: platform.acme)
            // By this time, every cached JWKS contains the key.
            let jwks = try await TestBrowser(platform).get("\(platform.acme.issuer)/oauth2/jwks")
            let age = try #require(jwks.header("Cache-Control")?.firstMatch(of: /^public, max-age=(\d+)$/)?.1)
            #expect(Double(age)! + 60 < SigningKey.notice)
            func expectTooSoon() async throws {
                let early = try await platform.rotateSigningKeys()
                #expect(early.isProblem(409, "conflict"), "\(early.body)")
                #expect((1...600).contains(Int(early.header("Retry-After") ?? "") ?? 0))
            }
            try await expectTooSoon()
            #expect(try await platform.publishedKeys(of: platform.acme) == published)
            #expect(try await platform.audited("rotateSigningKeys").isEmpty)
            try await platform.ageSigningKeys(by: 601)
            #expect(try await platform.rotateSigningKeys().status == 200)
            try await expectTooSoon()
            #expect(try await platform.audited("rotateSigningKeys").count == 1)
        }
    }

    @Test("two concurrent rotations make one change, and exactly one key signs at any moment")
    func race() async throws {
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            let published = try await platform.publishedKeys(of: platform.acme)
            try await platform.ageSigningKeys()
            let answers = try await withThrowingTaskGroup(of: Int.self) { tasks in
                for _ in 0..<6 { tasks.addTask { try await platform.rotateSigningKeys().status } }
                tasks.addTask { try await browser.tokens(.init(platform.acme)).count > 0 ? 0 : 1 }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.sorted() == [0, 200, 409, 409, 409, 409, 409])
            let keys = try await platform.signingKeys(of: platform.acme)
            #expect(keys.map(\.state) == [.current, .next, .retired])
            #expect(keys[0].id.description == published[1])
        }
    }

    @Test("while another process rotates the tenant's keys, a rotation is refused, and neither it nor a first key waits")
    func busy() async throws {
        try await TestPlatform.run { platform in
            let published = try await platform.publishedKeys(of: platform.acme)
            let signing = SigningKeys(pool: platform.pool, keyring: platform.settings.keyring, now: { Date() })
            let tenant = try #require(ID<Tenant>(platform.acme.id))
            try await platform.ageSigningKeys()
            try await platform.ownerPool.transaction { db in
                _ = try await db.run("SELECT FROM tenant WHERE id = \(tenant) FOR NO KEY UPDATE")
                for body: [String: any Sendable] in [[:], ["compromised": true]] {
                    let answer = try await platform.rotateSigningKeys(body)
                    #expect(answer.isProblem(409, "conflict"), "\(answer.body)")
                    #expect(answer.header("Retry-After") == "1")
                }
                try await signing.prepare(.RS256, of: tenant)
            }
            #expect(try await platform.signingKeys(of: platform.acme).filter { $0.algorithm == .ES256 }.map(\.id.description) == published)
            #expect(try await platform.rotateSigningKeys(["algorithm": "ES256"]).status == 200)
        }
    }

    @Test("one algorithm rotates alone; an algorithm without keys and an unknown one are refused")
    func algorithm() async throws {
        try await TestPlatform.run { platform in
            let first = try await platform.publishedKeys(of: platform.acme)
            try await platform.ageSigningKeys()
            #expect(try await platform.rotateSigningKeys(["algorithm": "RS256"]).isProblem(409, "conflict"))
            #expect(try await platform.rotateSigningKeys(["algorithm": "HS256"]).isProblem(400, "invalid"))
            #expect(try await platform.rotateSigningKeys(["kid": first[0]]).isProblem(400, "invalid"))
            #expect(try await platform.rotateSigningKeys(["compromised": "yes"]).isProblem(400, "invalid"))
            #expect(try await platform.rotateSigningKeys(of: "globex").isProblem(409, "conflict"))
            let made = try await platform.call(
                "POST", "/tenants/acme/applications",
                ["name": "Old library", "kind": "spa", "redirect_uris": ["https://old.test/"], "signing_algorithm": "RS256"])
            #expect(made.status == 201)
            // Without an algorithm, the request means all. The RSA keys are too new.
            #expect(try await platform.rotateSigningKeys().isProblem(409, "conflict"))
            try await platform.ageSigningKeys()
            let answer = try await platform.rotateSigningKeys(["algorithm": "RS256", "compromised": NSNull()])
            #expect(answer.status == 200, "\(answer.body)")
            #expect(Set(answer.signingKeys.map { $0["algorithm"] as? String }) == ["RS256"])
            #expect(answer.signingKeys.count == 3)
            let keys = try await platform.signingKeys(of: platform.acme)
            #expect(keys.map(\.algorithm) == [.ES256, .RS256, .ES256, .RS256, .RS256])
            #expect(keys.filter { $0.algorithm == .ES256 }.map(\.id.description) == first)
        }
    }

    @Test("the JWKS stays small: with ten retired keys, a rotation waits until one has left")
    func many() async throws {
        try await TestPlatform.run { platform in
            _ = try await platform.publishedKeys(of: platform.acme)
            for _ in 0..<10 {
                try await platform.ageSigningKeys()
                #expect(try await platform.rotateSigningKeys().status == 200)
            }
            try await platform.ageSigningKeys()
            let answer = try await platform.rotateSigningKeys()
            #expect(answer.isProblem(409, "conflict"))
            #expect(Int(answer.header("Retry-After") ?? "").map { $0 > 80_000 } == true)
            _ = try await platform.ownerPool.run("DELETE FROM signing_key WHERE state = 'retired'")
            #expect(try await platform.rotateSigningKeys().status == 200)
        }
    }

    @Test("another tenant's keys do not change, and its API key rotates nothing here")
    func otherTenant() async throws {
        try await TestPlatform.run { platform in
            let foreign = try await platform.publishedKeys(of: platform.globex)
            _ = try await platform.publishedKeys(of: platform.acme)
            try await platform.ageSigningKeys()
            #expect(try await platform.rotateSigningKeys(key: platform.globex.api_keys[0].secret).isProblem(404, "not_found"))
            #expect(try await platform.rotateSigningKeys(key: platform.acme.api_keys[1].secret).isProblem(403, "insufficient_scope"))
            #expect(try await platform.audited("rotateSigningKeys").isEmpty)
            #expect(try await platform.rotateSigningKeys(key: platform.acme.api_keys[0].secret).status == 200)
            #expect(try await platform.rotateSigningKeys(["compromised": true]).status == 200)
            #expect(try await platform.publishedKeys(of: platform.globex) == foreign)
            #expect(try await platform.signingKeys(of: platform.globex).map(\.id.description) == foreign)
        }
    }

    @Test("private halves are sealed for their own row, and no response or audit event contains them")
    func sealed() async throws {
        try await TestPlatform.run { platform in
            _ = try await platform.publishedKeys(of: platform.acme)
            try await platform.ageSigningKeys()
            let answer = try await platform.rotateSigningKeys()
            let (keyring, tenant) = (platform.settings.keyring, try #require(ID<Tenant>(platform.acme.id)))
            let list = try await platform.call("GET", "/tenants/acme/signing-keys").body
            let reported = answer.body + list + (try await platform.audited("rotateSigningKeys").map(\.text).joined())
            let rows = try await platform.ownerPool.run("SELECT id, sealed_private FROM signing_key").map { row in
                (try row.get("id", as: ID<SigningKey>.self), Sealed(bytes: try row.get("sealed_private")))
            }
            #expect(rows.count == 3)
            for (id, sealed) in rows {
                let key = try keyring.open(sealed, in: SigningKey.context(id, of: tenant))
                #expect(key.count == 32)
                for secret in [key, sealed.bytes] {
                    #expect(!reported.contains(secret.base64URL) && !reported.contains(Data(secret).base64EncodedString()))
                }
                let other = try #require(rows.first { $0.0 != id }?.0)
                #expect(throws: (any Error).self) { try keyring.open(sealed, in: SigningKey.context(other, of: tenant)) }
                #expect(throws: (any Error).self) {
                    try keyring.open(sealed, in: SigningKey.context(id, of: try #require(ID<Tenant>(platform.globex.id))))
                }
            }
        }
    }
}
