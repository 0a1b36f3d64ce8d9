import Access
import Foundation
import Server
import TestSupport
import Testing

/// The operations of WorkOS's interface that need a tenant's API key: each answers as described, and rejects every other caller.
@Suite("Organization keys")
struct OrganizationKeyTests {
    private let specification: Specification
    private let operations: [Specification.Operation]

    init() throws {
        specification = try Specification()
        operations = specification.operations.filter { $0.organizationScopes != nil }
    }

    private func expect(_ answer: TestBrowser.Answer, _ status: Int, _ operation: Specification.Operation, _ what: String = "") {
        #expect(answer.status == status, "\(operation) \(what): \(answer.body)")
        #expect(specification.violations(answer, of: operation) == [], "\(operation) \(what): \(answer.body)")
        #expect(answer.header("X-Request-ID") == answer.header("Request-Id"))
    }

    /// The path with the IDs of Acme's objects. An operation that names no tenant is about Acme here.
    private func path(_ operation: Specification.Operation, _ things: Things, _ platform: TestPlatform, redirectURI: String = "x") -> String
    {
        let path = things.path(
            operation,
            replacing: [
                "organization": "org_\(platform.acme.id.dropFirst("tenant_".count))", "externalID": "acme", "authKitKey": things.apiKey,
                "redirectURI": redirectURI, "authKitEndpoint": things.endpoint,
                "membership": "om_\(things.user.dropFirst("user_".count))",
            ])
        return operation.id == "authKitListMemberships" ? "\(path)?organization_id=\(platform.acme.id)" : path
    }

    /// The example of an operation, with the ID of a real session.
    private func body(_ operation: Specification.Operation, _ things: Things) -> String? {
        operation.requests.first?.replacing(/session_[0-9][0-9a-z]{25}/, with: things.session)
    }

    @Test("each operation succeeds as described, reads first")
    func answers() async throws {
        try await TestPlatform.run { platform in
            let things = try await Things(platform)
            let update = try #require(operations.first { $0.id == "authKitUpdateUser" })
            expect(
                try await send(
                    update, path(update, things, platform), key: platform.acme.api_keys[0].secret, body: #"{"external_id": "acme"}"#,
                    platform),
                200, update)
            // A new redirect URI belongs to the only application.
            for application in platform.acme.applications.dropFirst() {
                _ = try await platform.call("DELETE", "/tenants/acme/applications/\(application.client_id)")
            }
            var redirectURI = ""
            let order = ["GET", "POST", "PUT", "PATCH", "DELETE"]
            for operation in operations.sorted(by: { order.firstIndex(of: $0.method)! < order.firstIndex(of: $1.method)! }) {
                let answer = try await send(
                    operation, path(operation, things, platform, redirectURI: redirectURI), key: platform.acme.api_keys[0].secret,
                    body: body(operation, things), platform)
                if operation.id == "authKitCreateRedirectURI" { redirectURI = answer.resourceID }
                expect(answer, (200..<300).contains(answer.status) ? answer.status : 200, operation)
            }
        }
    }

    @Test("callers without a key, with another tenant's key, an operator's key or too few scopes are rejected")
    func strangers() async throws {
        try await TestPlatform.run { platform in
            let things = try await Things(platform)
            let keys = try await Keys(platform)
            for operation in operations {
                let path = path(operation, things, platform)
                func answer(_ key: String?) async throws -> TestBrowser.Answer {
                    try await send(operation, path, key: key, body: body(operation, things), platform)
                }
                for (what, key) in keys.ofNobody {
                    let refused = try await answer(key)
                    expect(refused, 401, operation, what)
                    #expect(refused.header("WWW-Authenticate")?.hasPrefix("Bearer") == true)
                }
                expect(try await answer(platform.operatorKey), 404, operation, "operator")
                for scope in operation.organizationScopes ?? [] {
                    #expect(APIKey.Scope(rawValue: scope) != nil)
                    expect(try await answer(try await keys.lacking(scope, owner: keys.acme)), 403, operation, scope)
                }
                // Another tenant sees its own data or nothing.
                let other = try await answer(platform.globex.api_keys[0].secret)
                #expect(!other.body.contains(things.user) && !other.body.contains(platform.acme.id.dropFirst("tenant_".count)))
                #expect(specification.violations(other, of: operation) == [], "\(operation): \(other.body)")
                if operation.path.contains("{") { #expect(other.status == 404, "\(operation): \(other.body)") }
            }
        }
    }
}
