import Access
import Encoding
import Foundation
import Postgres
import Server
import Tenancy
import TestSupport

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
}

extension TestBrowser.Answer {
    /// Whether the response reports an inactive token and contains no other member.
    var isInactive: Bool { status == 200 && json.count == 1 && json["active"] as? Bool == false && header("Cache-Control") == "no-store" }
}
