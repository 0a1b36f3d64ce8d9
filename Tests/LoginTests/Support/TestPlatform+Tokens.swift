import Access
import Foundation
import Postgres
import Sealing
import Server
@testable import Signing
import Tenancy
import TestSupport
import Web

/// The credentials of an application.
struct Credentials: Sendable {
    let id: String
    var secret: String?

    init(_ application: SeedResult.App) {
        (id, secret) = (application.client_id, application.client_secret)
    }

    init(id: String, secret: String?) {
        (self.id, self.secret) = (id, secret)
    }

    var form: [(String, String)] { [("client_id", id)] + (secret.map { [("client_secret", $0)] } ?? []) }

    var basic: (String, String) {
        ("Authorization", "Basic \(Data("\(Form.encode(id)):\(Form.encode(secret ?? ""))".utf8).base64EncodedString())")
    }
}

extension TestPlatform {
    /// Registers a resource server at Acme.
    func resourceServer() async throws -> Credentials {
        let answer = try await call("POST", "/tenants/acme/applications", ["name": "API", "kind": "machine"])
        return Credentials(id: answer.string("id") ?? "", secret: answer.string("client_secret"))
    }

    func introspect(_ token: String, as caller: Credentials, _ tenant: SeedResult.TenantResult? = nil) async throws -> TestBrowser.Answer {
        try await TestBrowser(self).post("\((tenant ?? acme).issuer)/oauth2/introspect", form: [("token", token)] + caller.form)
    }

    func revoke(_ token: String, as caller: Credentials, _ tenant: SeedResult.TenantResult? = nil) async throws -> TestBrowser.Answer {
        try await TestBrowser(self).post("\((tenant ?? acme).issuer)/oauth2/revoke", form: [("token", token)] + caller.form)
    }

    /// Changes columns of an application before any process has read it.
    func change(_ application: SeedResult.App, _ assignments: String) async throws {
        _ = try await ownerPool.run(
            SQL(unsafe: "UPDATE application SET \(assignments) WHERE id = '\(ID<Application>(application.client_id)!.uuid)'"))
        installation.directory.forgetAll(isFresh: true)
    }

    /// Signs any claims with the tenant's current key. No attacker can do this, so only the claims or the header can be invalid.
    func sign(
        _ claims: [String: any Sendable], _ tenant: SeedResult.TenantResult? = nil, header: [String: any Sendable] = [:],
        by algorithm: SigningKey.Algorithm = .ES256
    ) async throws -> String {
        let keys = SigningKeys(pool: pool, keyring: settings.keyring, now: { Date() })
        let key = try await keys.current(algorithm, of: ID((tenant ?? acme).id)!)
        let header = ["alg": algorithm.rawValue, "kid": key.keyID, "typ": "JWT"].merging(header) { $1 }
        func part(_ members: [String: any Sendable]) throws -> String {
            [UInt8](try JSONSerialization.data(withJSONObject: members)).base64URL
        }
        let input = "\(try part(header)).\(try part(claims))"
        return "\(input).\(try key.signature(of: input))"
    }
}

extension TestBrowser.Answer {
    /// Whether the response reports an inactive token and contains no other member.
    var isInactive: Bool { status == 200 && json.count == 1 && json["active"] as? Bool == false && header("Cache-Control") == "no-store" }
}
