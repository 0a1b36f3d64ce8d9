import Foundation
import NIOHTTP1
import Server
import TestSupport
import Testing

/// The OpenID Foundation's plan for a provider's configuration, and the table of all plans.
@Suite("oidcc-config-certification-test-plan")
struct ConfigPlanTests {
    @Test("oidcc-discovery-endpoint-verification: the discovery document has all required members, on https, and public keys")
    func discovery() async throws {
        try await TestPlatform.run { platform in
            let party = try await RelyingParty(platform)
            let answer = try await party.browser.get("\(platform.acme.issuer)/.well-known/openid-configuration")
            #expect(answer.status == 200)
            #expect(answer.header("Content-Type") == "application/json")
            #expect(party.string("issuer") == platform.acme.issuer)
            #expect(URLComponents(string: party.string("issuer"))?.query == nil)
            #expect(party.list("response_types_supported") == ["code"])
            #expect(party.list("subject_types_supported") == ["public"])
            #expect(party.list("id_token_signing_alg_values_supported").contains("RS256"))
            #expect(Set(party.list("grant_types_supported")).isSuperset(of: ["authorization_code"]))
            #expect(party.list("scopes_supported").contains("openid"))
            #expect(party.list("claims_supported").contains("sub"))
            #expect(party.list("code_challenge_methods_supported") == ["S256"])
            for (member, value) in party.metadata where member.hasSuffix("_endpoint") || member.hasSuffix("_uri") {
                #expect((value as? String)?.hasPrefix("https://") == true, "\(member)")
            }
            let keys = try #require(try await party.browser.get(party.string("jwks_uri")).json["keys"] as? [[String: String]])
            #expect(!keys.isEmpty)
            #expect(Set(keys.compactMap { $0["kid"] }).count == keys.count)
            for key in keys {
                #expect(["EC", "RSA"].contains(key["kty"]))
                #expect(Set(key.keys).isDisjoint(with: ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]))
            }
        }
    }

    // MARK: The table

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    /// The result of each module in `docs/openid-conformance.md`.
    private static func table() throws -> [(module: String, status: String)] {
        let file = folder.appending(path: "../../../docs/openid-conformance.md").standardizedFileURL
        return try String(contentsOf: file, encoding: .utf8)
            .matches(of: /(?m)^\| `(oidcc-[a-z0-9-]+)` \| ([a-z ]+) \| .+ \|$/).map { (String($0.1), String($0.2)) }
    }

    @Test("each module of the table has a test with its name, and each test has a row")
    func everyModule() throws {
        let files = try FileManager.default.contentsOfDirectory(at: Self.folder, includingPropertiesForKeys: nil)
        let tests = try files.flatMap { file in
            try String(contentsOf: file, encoding: .utf8).matches(of: #/@Test\("(oidcc-[a-z0-9-]+): /#).map { String($0.1) }
        }
        let table = try Self.table()
        #expect(tests.sorted() == table.map(\.module).sorted())
        // The modules of all plans, each once.
        #expect(Set(tests).count == 38 + 1 + 11 + 2 + 2 + 2)
        for row in table { #expect(["holds", "does not apply"].contains(row.status), "\(row.module)") }
    }
}
