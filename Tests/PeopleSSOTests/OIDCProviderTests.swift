import Access
import Crypto
import Encoding
import Foundation
import Logging
import Sealing
import TestSupport
import Testing

@testable import PeopleSSO

@Suite("OpenID Connect provider")
struct OIDCProviderTests {
    private static let redirectURI = "https://login.test/account/sso/callback"
    private let tenant = ID<Tenant>(at: Date())

    private func client(of provider: FakeProvider, secret: String = FakeProvider.secret, allowsPrivate: Bool = true) -> OIDCProvider {
        OIDCProvider(
            issuer: provider.issuer, clientID: FakeProvider.clientID, secret: Secret(secret), redirectURI: Self.redirectURI, of: tenant,
            documents: ProviderDocuments(allowsPrivate: allowsPrivate, logger: Logger(label: "test")))
    }

    /// Signs in at a provider with changes.
    private func account(
        at provider: FakeProvider, _ changes: FakeProvider.Changes = .init(), isAgain: Bool = false, response: String = ""
    ) async throws -> OIDCProvider.Account {
        provider.change(changes)
        let (client, now) = (client(of: provider), Date())
        let attempt = OIDCAttempt(.sso, at: client, isAgain: isAgain, at: now)
        let url = try await client.authorizationURL(for: attempt, address: "ada@customer.test", at: now)
        let code = try provider.authorize(url).code
        let given = try await client.code(in: try Form("code=\(code)&state=\(attempt.state)\(response)"), at: now)
        return try await client.redeem(given, of: attempt, at: now)
    }

    /// The refusal of a sign-in.
    private func refusal(
        at provider: FakeProvider, _ changes: FakeProvider.Changes, isAgain: Bool = false, response: String = ""
    ) async -> OIDCRefusal? {
        do {
            _ = try await account(at: provider, changes, isAgain: isAgain, response: response)
            return nil
        } catch { return error as? OIDCRefusal }
    }

    @Test("at an issuer that companies share, only an account that the company manages has its address")
    func sharedIssuer() throws {
        let (key, now) = (try ClientKey(), Date())
        func address(at issuer: String, _ claims: [String: (any Sendable)?]) throws -> String? {
            let text = try key.assertion(
                of: "x", for: "espalier", at: now, header: ["typ": "JWT"],
                ["iss": issuer, "nonce": "n", "email": "ada@Customer.test", "email_verified": true].merging(claims) { $1 })
            return try ProviderIDToken(
                text, for: .init(issuer: issuer, clientID: "espalier", nonce: "n", accessToken: "a", earliestSignIn: nil), at: now
            ).verifiedEmail
        }
        let google = "https://accounts.google.com"
        #expect(try address(at: google, ["hd": "customer.test"]) == "ada@Customer.test")
        for hd: (any Sendable)? in [nil, "other.test", "customer.test\u{301}", "", true] as [(any Sendable)?] {
            #expect(throws: OIDCRefusal.self) { try address(at: google, ["hd": hd]) }
        }
        #expect(try address(at: google, ["email_verified": false]) == nil)
        #expect(try address(at: "https://id.customer.test", [:]) == "ada@Customer.test")
    }

    @Test("the authorization URL has PKCE, a nonce and a state, each one random")
    func authorizationURL() async throws {
        try await FakeProvider.run { provider in
            let (client, now) = (client(of: provider), Date())
            let attempt = OIDCAttempt(.sso, at: client, at: now)
            let query = try provider.authorize(try await client.authorizationURL(for: attempt, address: "ada+x@customer.test", at: now))
                .query
            #expect(query["response_type"] == "code" && query["client_id"] == FakeProvider.clientID)
            #expect(query["redirect_uri"] == Self.redirectURI && query["scope"] == "openid email profile")
            #expect(query["login_hint"] == "ada+x@customer.test" && query["max_age"] == nil)
            #expect(query["code_challenge_method"] == "S256")
            #expect(query["code_challenge"] == Array(SHA256.hash(data: Data(attempt.verifier.utf8))).base64URL)
            let other = OIDCAttempt(.sso, at: client, isAgain: true, at: now)
            #expect(Set([attempt.state, attempt.nonce, attempt.verifier, other.state, other.nonce, other.verifier]).count == 6)
            #expect(try await client.authorizationURL(for: other, address: nil, at: now).contains("max_age=300"))
        }
    }

    @Test("a person signs in, with either way to prove the client, and the code goes with its verifier")
    func signsIn() async throws {
        try await FakeProvider.run { provider in
            for methods in [nil, ["client_secret_basic"], ["private_key_jwt", "client_secret_post"]] as [[String]?] {
                let account = try await account(at: provider, .init(document: ["token_endpoint_auth_methods_supported": methods]))
                #expect(account.subject == provider.subject && account.verifiedEmail == "ada@customer.test")
                #expect(account.name == "Ada Lovelace" && account.signedInAt != nil)
            }
            #expect(provider.forms.count == 3 && provider.forms.allSatisfy { $0["code_verifier"]?.utf8.count == 44 })
            #expect(provider.forms.map { $0["client_secret"] } == [nil, nil, FakeProvider.secret])
            // Optional claims that are right.
            let hash = Array(Array(SHA256.hash(data: Data(FakeProvider.accessToken.utf8))).prefix(16)).base64URL
            let changes = FakeProvider.Changes(claims: ["at_hash": hash, "azp": FakeProvider.clientID, "aud": [FakeProvider.clientID]])
            _ = try await account(at: provider, changes, isAgain: true, response: "&iss=\(Form.encode(provider.issuer))")
        }
    }

    @Test("an address counts only if the provider has verified it")
    func verified() async throws {
        try await FakeProvider.run { provider in
            for value: any Sendable in [false, "false", 1, NSNull(), "TRUE"] as [any Sendable] {
                let account = try await account(at: provider, .init(claims: ["email_verified": value]))
                #expect(account.verifiedEmail == nil, "\(value)")
            }
            let unstated = try await account(at: provider, .init(claims: ["email_verified": String?.none]))
            #expect(unstated.verifiedEmail == nil)
            let verified = try await account(at: provider, .init(claims: ["email_verified": "true"]))
            #expect(verified.verifiedEmail != nil)
            let malformed = try await account(at: provider, .init(claims: ["email": 1]))
            #expect(malformed.verifiedEmail == nil)
        }
    }

    @Test("a malformed discovery document is refused with the member")
    func discovery() async throws {
        try await FakeProvider.run { provider in
            let cases: [([String: (any Sendable)?], String)] = [
                (["issuer": "https://other.test"], "issuer"), (["issuer": provider.issuer + "/"], "issuer"),
                (["issuer": provider.issuer + "\u{301}"], "issuer"), (["issuer": provider.issuer + "\u{200D}"], "issuer"),
                (["issuer": String?.none], "issuer"), (["issuer": [provider.issuer]], "issuer"),
                (["token_endpoint": String?.none], "token_endpoint"), (["token_endpoint": "ftp://x.test/"], "token_endpoint"),
                (["token_endpoint": "https://user@x.test/"], "token_endpoint"),
                (["authorization_endpoint": "javascript:alert(1)"], "authorization_endpoint"),
                (["authorization_endpoint": "https://x.test/\r\nSet-Cookie: a=b"], "authorization_endpoint"),
                (["authorization_endpoint": "https://x.test/#f"], "authorization_endpoint"),
                (["jwks_uri": 1], "jwks_uri"), (["response_types_supported": ["id_token"]], "response_types_supported"),
                (["response_types_supported": "code"], "response_types_supported"),
                (["code_challenge_methods_supported": ["plain"]], "code_challenge_methods_supported"),
                (["id_token_signing_alg_values_supported": ["none", "HS256"]], "id_token_signing_alg_values_supported"),
                (["token_endpoint_auth_methods_supported": ["private_key_jwt"]], "token_endpoint_auth_methods_supported"),
                (["authorization_response_iss_parameter_supported": "yes"], "authorization_response_iss_parameter_supported"),
            ]
            for (document, field) in cases {
                let refusal = await refusal(at: provider, .init(document: document))
                #expect(refusal?.step == .discovery && refusal?.field == field, "\(document): \(String(describing: refusal))")
            }
            for text in [
                "", "[]", "{", "\u{FEFF}{}", #"{"issuer":"a","issuer":"b"}"#, "{\"x\":\"" + String(repeating: "x", count: 70_000) + "\"}",
            ] {
                var changes = FakeProvider.Changes()
                changes.documentText = text
                #expect(await refusal(at: provider, changes)?.step == .discovery, "\(text.prefix(30))")
            }
            var moved = FakeProvider.Changes()
            moved.documentStatus = 302
            #expect(await refusal(at: provider, moved)?.step == .discovery)
        }
    }

    @Test("a malformed id_token is refused with the claim")
    func claims() async throws {
        try await FakeProvider.run { provider in
            let now = Int(Date().timeIntervalSince1970)
            let cases: [([String: (any Sendable)?], String)] = [
                (["iss": "https://other.test"], "iss"), (["iss": provider.issuer + "/"], "iss"), (["iss": String?.none], "iss"),
                (["aud": "other"], "aud"), (["aud": [FakeProvider.clientID, "other"]], "aud"), (["aud": [String]()], "aud"),
                (["aud": String?.none], "aud"), (["aud": FakeProvider.clientID + "\u{301}"], "aud"), (["azp": "other"], "azp"),
                (["exp": now - 120], "exp"), (["exp": String?.none], "exp"), (["exp": "never"], "exp"),
                (["iat": now - 3600], "iat"), (["iat": now + 3600], "iat"), (["iat": String?.none], "iat"),
                (["nbf": now + 3600], "nbf"), (["nonce": "other"], "nonce"), (["nonce": String?.none], "nonce"),
                (["at_hash": "AAAAAAAAAAAAAAAAAAAAAA"], "at_hash"), (["at_hash": 1], "at_hash"),
                (["sub": ""], "sub"), (["sub": String?.none], "sub"), (["sub": 7], "sub"), (["sub": "a\u{600}"], "sub"),
                (["sub": String(repeating: "x", count: 256)], "sub"), (["auth_time": "now"], "auth_time"),
            ]
            for (claims, field) in cases {
                let refusal = await refusal(at: provider, .init(claims: claims))
                #expect(refusal?.step == .idToken && refusal?.field == field, "\(claims): \(String(describing: refusal))")
            }
            // Only where a new sign-in is required. An old sign-in is refused, because the change would ask again.
            for claims: [String: (any Sendable)?] in [["auth_time": now - 600], ["auth_time": now - 3600], ["auth_time": Int?.none]] {
                #expect(await refusal(at: provider, .init(claims: claims), isAgain: true)?.field == "auth_time")
                #expect(await refusal(at: provider, .init(claims: claims)) == nil)
            }
            #expect(await refusal(at: provider, .init(claims: ["auth_time": now - 500]), isAgain: true) == nil)
        }
    }

    @Test("an id_token with another signature, algorithm, type or key is refused")
    func signatures() async throws {
        try await FakeProvider.run { provider in
            var other = FakeProvider.Changes()
            other.key = try ClientKey()
            #expect(await refusal(at: provider, other)?.field == "signature")
            for (header, field) in [
                (["alg": "none"], "alg"), (["alg": "HS256"], "alg"), (["alg": "es256"], "alg"), (["alg": "RS256"], "signature"),
                (["typ": "at+jwt"], "typ"), (["kid": "key-2"], "signature"),
            ] as [([String: (any Sendable)?], String)] {
                #expect(await refusal(at: provider, .init(header: header))?.field == field, "\(header)")
            }
            for token in ["", "x", "a.b", "a.b.c", "e30.e30.", "e30.e30.e30.e30"] {
                var changes = FakeProvider.Changes()
                changes.idToken = token
                #expect(await refusal(at: provider, changes)?.step == .idToken, "\(token)")
            }
            var keys = FakeProvider.Changes()
            keys.keysText = #"{"keys":[{"kty":"oct","k":"c2VjcmV0","alg":"HS256"}]}"#
            #expect(await refusal(at: provider, keys)?.step == .keys)
        }
    }

    @Test("a malformed answer of the token endpoint is refused, and its text is not passed on")
    func tokens() async throws {
        try await FakeProvider.run { provider in
            for (answer, field) in [
                (["token_type": "mac"], "token_type"), (["token_type": nil], "token_type"), (["access_token": ""], "access_token"),
                (["access_token": nil], "access_token"), (["id_token": nil], "id_token"), (["id_token": ["x"]], "id_token"),
            ] as [([String: (any Sendable)?], String)] {
                let refusal = await refusal(at: provider, .init(answer: answer))
                #expect(refusal?.step == .token && refusal?.field == field, "\(answer)")
            }
            for (text, status) in [
                ("", 200), ("[]", 200), ("{}{}", 200), ("<html>", 200), (#"{"error":"invalid_grant"}"#, 400),
                (#"{"error":"<script>"}"#, 400), (#"{"error":"access_denied"}"#, 302), ("", 503),
            ] {
                var changes = FakeProvider.Changes()
                (changes.answerText, changes.answerStatus) = (text, status)
                let refusal = await refusal(at: provider, changes)
                #expect(refusal?.step == .token && refusal?.detail.contains("<") == false, "\(text) \(status)")
            }
        }
    }

    @Test("a response with another issuer, with an error or without a code is refused")
    func responses() async throws {
        try await FakeProvider.run { provider in
            #expect(await refusal(at: provider, .init(), response: "&iss=https%3A%2F%2Fother.test")?.field == "iss")
            let announced = FakeProvider.Changes(document: ["authorization_response_iss_parameter_supported": true])
            #expect(await refusal(at: provider, announced)?.field == "iss")
            #expect(await refusal(at: provider, .init(), response: "&error=access_denied")?.detail.contains("access_denied") == true)
            #expect(await refusal(at: provider, .init(), response: "&error=%3Cb%3E")?.detail.contains("unknown error") == true)
            let client = client(of: provider)
            provider.change(.init())
            await #expect(throws: OIDCRefusal.self) { try await client.code(in: try Form("state=x"), at: Date()) }
        }
    }

    @Test("the check names a wrong secret, and a ready provider has no failure")
    func checks() async throws {
        try await FakeProvider.run { provider in
            #expect(try await client(of: provider).check(at: Date()) == [])
            #expect(try await client(of: provider, secret: "wrong").check(at: Date()).map(\.field) == ["client_secret"])
            // A provider in a private network gets no request.
            let refused = try await client(of: provider, allowsPrivate: false).check(at: Date())
            #expect(refused.map(\.step) == [.discovery] && refused[0].detail.contains("address_refused"))
        }
    }

    @Test("an attempt opens only as it was sealed, and only for 10 minutes")
    func attempts() async throws {
        let keyring = try Keyring([MasterKey.generate()])
        let (now, documents) = (Date(), ProviderDocuments(allowsPrivate: true, logger: Logger(label: "test")))
        let provider = OIDCProvider(
            issuer: "https://a.test", clientID: "x", secret: Secret("x"), redirectURI: Self.redirectURI, of: tenant, documents: documents)
        let attempt = OIDCAttempt(.linkApple, at: provider, isAgain: true, returnPath: "/account/name", session: UUID(), at: now)
        let sealed = attempt.sealed(with: keyring)
        let opened = try #require(OIDCAttempt(sealed: sealed, with: keyring, at: now))
        #expect(opened.state == attempt.state && opened.verifier == attempt.verifier && opened.nonce == attempt.nonce)
        #expect(opened.purpose == .linkApple && opened.tenant == tenant && opened.session == attempt.session && opened.isAgain)
        #expect(opened.returnPath == "/account/name" && opened.digest == attempt.digest)
        // A sealed time has no parts of a microsecond.
        #expect(OIDCAttempt(sealed: sealed, with: keyring, at: now + OIDCAttempt.lifetime + 0.001) == nil)
        for text in ["", "x", String(sealed.dropLast()), sealed + "A", keyring.sealToken([1], purpose: "oidc_attempt")] {
            #expect(OIDCAttempt(sealed: text, with: keyring, at: now) == nil)
        }
    }
}
