import Encoding
import Foundation
import NIOHTTP1
import Postgres
import Server
import TestSupport
import Testing
import Web

/// Authentication at the token endpoint. With a made-up refresh token, an authenticated application receives `invalid_grant`.
@Suite("Client authentication")
struct ClientAuthenticationTests {
    private static func ask(
        _ platform: TestPlatform, _ form: [(String, String)], basic: String? = nil, header: String? = nil,
        tenant: SeedResult.TenantResult? = nil
    ) async throws -> TestBrowser.Answer {
        let value = header ?? basic.map { "Basic \(Data($0.utf8).base64EncodedString())" }
        return try await TestBrowser(platform).post(
            "\((tenant ?? platform.acme).issuer)/oauth2/token", form: [("grant_type", "refresh_token"), ("refresh_token", "x")] + form,
            headers: value.map { [("Authorization", $0)] } ?? [])
    }

    @Test("a confidential application authenticates with its secret, in the header or in the body")
    func confidential() async throws {
        try await TestPlatform.run { platform in
            let (id, secret) = (platform.acme.applications[0].client_id, platform.acme.applications[0].client_secret!)
            // Each half is form-encoded before both are joined (RFC 6749, section 2.3.1), so every spelling is equal.
            let spelled = secret.utf8.map { "%" + String($0, radix: 16) }.joined()
            for basic in ["\(id):\(secret)", "\(Form.encode(id)):\(spelled)"] {
                #expect(try await Self.ask(platform, [], basic: basic).isOAuthError(400, "invalid_grant"))
                #expect(try await Self.ask(platform, [("client_id", id)], basic: basic).isOAuthError(400, "invalid_grant"))
            }
            let lower = "basic  \(Data("\(id):\(secret)".utf8).base64EncodedString())"
            #expect(try await Self.ask(platform, [], header: lower.replacing("  ", with: " ")).isOAuthError(400, "invalid_grant"))
            let posted = try await Self.ask(platform, [("client_id", id), ("client_secret", secret)])
            #expect(posted.isOAuthError(400, "invalid_grant"))
        }
    }

    @Test("a public application has only its ID")
    func publicApplication() async throws {
        try await TestPlatform.run { platform in
            let id = platform.acme.applications[1].client_id
            let bare = try await Self.ask(platform, [("client_id", id)])
            #expect(bare.isOAuthError(400, "invalid_grant"))
            // RFC 6749, section 2.3.1: an empty secret is the same as none.
            #expect(try await Self.ask(platform, [], basic: "\(id):").isOAuthError(400, "invalid_grant"))
            #expect(try await Self.ask(platform, [("client_id", id)], basic: "\(id):").isOAuthError(400, "invalid_grant"))
            let confidential = try await Self.ask(platform, [], basic: "\(platform.acme.applications[0].client_id):")
            #expect(confidential.isOAuthError(401, "invalid_client"))
            #expect(confidential.headers["WWW-Authenticate"] == ["Basic realm=\"espalier\""])
            // A secret that it cannot have is refused instead of ignored.
            #expect(try await Self.ask(platform, [], basic: "\(id):x").isOAuthError(401, "invalid_client"))
            #expect(try await Self.ask(platform, [("client_id", id), ("client_secret", "x")]).isOAuthError(401, "invalid_client"))
            let other = platform.acme.applications[0].client_secret!
            #expect(try await Self.ask(platform, [("client_id", id), ("client_secret", other)]).isOAuthError(401, "invalid_client"))
        }
    }

    @Test("a wrong, missing or foreign secret is invalid_client, and the challenge is always Basic")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let application = platform.acme.applications[0]
            let (id, secret) = (application.client_id, application.client_secret!)
            let others = [platform.acme.applications[2].client_secret!, platform.globex.applications[0].client_secret!]
            for wrong in others + [String(secret.dropLast()), secret + "x", secret.lowercased(), " " + secret] {
                let posted = try await Self.ask(platform, [("client_id", id), ("client_secret", wrong)])
                #expect(posted.isOAuthError(401, "invalid_client"))
                #expect(posted.headers["WWW-Authenticate"] == ["Basic realm=\"espalier\""])
                let basic = try await Self.ask(platform, [], basic: "\(id):\(wrong)")
                #expect(basic.isOAuthError(401, "invalid_client"))
                #expect(basic.headers["WWW-Authenticate"] == ["Basic realm=\"espalier\""])
                #expect(!basic.body.contains(wrong) && !posted.body.contains(wrong))
            }
            for form in [[("client_id", id)], [("client_id", "app_unknown"), ("client_secret", secret)], [("client_secret", secret)], []] {
                #expect(try await Self.ask(platform, form).isOAuthError(401, "invalid_client"), "\(form.map(\.0))")
                for endpoint in ["introspect", "revoke"] {
                    let answer = try await TestBrowser(platform).post(
                        "\(platform.acme.issuer)/oauth2/\(endpoint)", form: form + [("token", "x")])
                    #expect(answer.isOAuthError(401, "invalid_client"), "\(endpoint): \(form.map(\.0))")
                    #expect(answer.headers["WWW-Authenticate"] == ["Basic realm=\"espalier\""])
                }
            }
            // Another tenant's application is unknown here.
            let foreign = try await Self.ask(platform, [("client_id", id), ("client_secret", secret)], tenant: platform.globex)
            #expect(foreign.isOAuthError(401, "invalid_client"))
        }
    }

    @Test("an invalid Basic header is refused")
    func malformedHeader() async throws {
        try await TestPlatform.run { platform in
            let (id, secret) = (platform.acme.applications[0].client_id, platform.acme.applications[0].client_secret!)
            let both = [("client_id", id), ("client_secret", secret)]
            let encoded = Data("\(id):\(secret)".utf8).base64EncodedString()
            for header in [
                "Basic", "Basic ", "Bearer \(encoded)", "Basic !\(encoded)", "Basic \(Data(id.utf8).base64EncodedString())",
                "Basic \(Data("\(id):%zz".utf8).base64EncodedString())",
                "Basic \(Data([0xFF, 0x3A, 0xFF]).base64EncodedString())", "Basic \(String(repeating: "QUFB", count: 2000))",
            ] {
                // The header is refused even if the body has the right secret.
                let answer = try await Self.ask(platform, both, header: header)
                #expect(answer.isOAuthError(401, "invalid_client"), "\(header.prefix(60)): \(answer.status) \(answer.body)")
                #expect(answer.headers["WWW-Authenticate"] == ["Basic realm=\"espalier\""])
            }
        }
    }

    @Test("two methods at once are refused, and so are two IDs")
    func twoWays() async throws {
        try await TestPlatform.run { platform in
            let (id, secret) = (platform.acme.applications[0].client_id, platform.acme.applications[0].client_secret!)
            let both = try await Self.ask(platform, [("client_id", id), ("client_secret", secret)], basic: "\(id):\(secret)")
            #expect(both.isOAuthError(400, "invalid_request"))
            let half = try await Self.ask(platform, [("client_id", id), ("client_secret", secret)], basic: "\(id):")
            #expect(half.isOAuthError(400, "invalid_request"))
            let other = platform.acme.applications[1].client_id
            let ids = try await Self.ask(platform, [("client_id", other)], basic: "\(id):\(secret)")
            #expect(ids.isOAuthError(400, "invalid_request"))
        }
    }
}
