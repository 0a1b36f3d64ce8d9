import Crypto
import Encoding
import Foundation
import NIOHTTP1
import Postgres
import Server
import TestSupport

// The attacker's means: HTTP, published data, and stolen data. None of the server's own code is called here.

extension TestBrowser.Request {
    /// Returns the authorization request with parameters changed, added or, if nil, left out.
    func url(changing changes: KeyValuePairs<String, String?>) -> String {
        let names = changes.map(\.key)
        var parameters = parameters.filter { !names.contains($0.0) }
        for (name, value) in changes { if let value { parameters.append((name, value)) } }
        return Self.url("\(tenant.issuer)/oauth2/authorize", parameters)
    }

    /// Returns the fields that redeem a code.
    func redeeming(_ code: String, verifier: String?) -> [(String, String)] {
        var form = [("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI)]
        if let verifier { form.append(("code_verifier", verifier)) }
        return form
    }
}

extension TestBrowser.Answer {
    /// Expects an error that redirects nowhere and leaves nothing in the browser.
    var leadsNowhere: Bool {
        (400..<500).contains(status) && location == nil && headers["Set-Cookie"].isEmpty
    }

    /// Expects an OAuth error without any usable data.
    func refuses(_ errors: String...) -> Bool {
        (400..<500).contains(status) && errors.contains(json["error"] as? String ?? "") && json["access_token"] == nil
            && json["refresh_token"] == nil && json["id_token"] == nil
    }

    /// Expects an error in a redirect to the application, without a code.
    var givesApplicationNoCode: Bool {
        self["error"] != nil && self["code"] == nil
    }

    var accessToken: String { json["access_token"] as? String ?? "" }
    var refreshToken: String { json["refresh_token"] as? String ?? "" }
    var idToken: String { json["id_token"] as? String ?? "" }
}

extension TestBrowser {
    /// Returns a code from a redirect that the attacker saw.
    func stolenCode(_ request: Request) async throws -> String {
        let answer = try await signIn(request)
        guard let code = answer["code"] else {
            throw TestSimulator.Refused(description: "no code: \(answer.status) \(answer.location ?? answer.body)")
        }
        return code
    }

    /// Returns the response to a code, after a login that must succeed.
    func signedIn(_ request: Request, person: String = "new") async throws -> Answer {
        let back = try await signIn(request, person: person)
        let answer = try await redeem(back["code"] ?? "", request)
        guard answer.status == 200 else { throw TestSimulator.Refused(description: "no tokens: \(answer.status) \(answer.body)") }
        return answer
    }

    /// Returns whether a resource of the tenant accepts the token.
    func isTaken(_ accessToken: String, at tenant: SeedResult.TenantResult) async throws -> Bool {
        try await userInfo(authorization: "Bearer \(accessToken)", at: tenant).status == 200
    }

    func userInfo(authorization: String, at tenant: SeedResult.TenantResult) async throws -> Answer {
        try await get("\(tenant.issuer)/oauth2/userinfo", headers: [("Authorization", authorization)])
    }

    /// Returns the tenant's first public key, which everybody can read.
    func publishedKey(of tenant: SeedResult.TenantResult) async throws -> [String: String] {
        let keys = try await get("\(tenant.issuer)/oauth2/jwks").json["keys"] as? [[String: any Sendable]] ?? []
        return (keys.first ?? [:]).compactMapValues { $0 as? String }
    }
}

/// A parsed JWT, to change and encode again.
struct ForgedToken {
    var header: [String: any Sendable]
    var claims: [String: any Sendable]
    let signature: String

    init(_ token: String) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        func object(_ part: String) -> [String: any Sendable] {
            let bytes = [UInt8](base64URL: part) ?? []
            return (try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: any Sendable]) ?? [:]
        }
        (header, claims, signature) = (object(parts[0]), object(parts[1]), parts[2])
    }

    /// The header and claims in their signed form.
    var input: String {
        get throws {
            func part(_ object: [String: any Sendable]) throws -> String {
                Array(try JSONSerialization.data(withJSONObject: object, options: .sortedKeys)).base64URL
            }
            return "\(try part(header)).\(try part(claims))"
        }
    }

    func signed(by key: P256.Signing.PrivateKey) throws -> String {
        let input = try input
        return "\(input).\(Array(try key.signature(for: Data(input.utf8)).rawRepresentation).base64URL)"
    }

    func signed<Hash: HashFunction>(bySecret secret: Data, _: Hash.Type) throws -> String {
        let input = try input
        let code = HMAC<Hash>.authenticationCode(for: Data(input.utf8), using: SymmetricKey(data: secret))
        return "\(input).\(Array(code).base64URL)"
    }
}
