import Access
import Domains
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Server

/// A platform with a resolver, where Acme has a provider for its members.
struct SSOPlatform: Sendable {
    static let domain = "customer.test"

    let platform: TestPlatform
    let resolver: TestResolver

    static func run(
        _ adjust: @escaping @Sendable (inout Settings) -> Void = { _ in }, _ body: @Sendable @escaping (SSOPlatform) async throws -> Void
    ) async throws {
        try await TestResolver.run { resolver in
            try await TestPlatform.run({ settings in
                settings.dnsResolvers = [.init(resolver.setting)!]
                settings.allowsPrivateWebhooks = true
                adjust(&settings)
            }) { platform in try await body(SSOPlatform(platform: platform, resolver: resolver)) }
        }
    }

    func set(
        _ issuer: String, client: String = FakeProvider.clientID, secret: String? = FakeProvider.secret, of tenant: String = "acme",
        _ members: [String: any Sendable] = [:]
    ) async throws -> TestBrowser.Answer {
        var body: [String: any Sendable] = ["issuer": issuer, "client_id": client]
        body["client_secret"] = secret
        return try await platform.call("PUT", "/tenants/\(tenant)/sso", body.merging(members) { $1 })
    }

    func create(_ domain: String = domain, of tenant: String = "acme") async throws -> TestBrowser.Answer {
        try await platform.call("POST", "/tenants/\(tenant)/sso/domains", ["domain": domain])
    }

    /// Publishes the record of a domain.
    func publish(_ domain: TestBrowser.Answer) throws {
        let record = try #require(domain.json["proof"] as? [String: Any], "\(domain.body)")
        resolver.publish(try #require(record["value"] as? String), at: try #require(record["name"] as? String))
    }

    func verify(_ id: String, of tenant: String = "acme") async throws -> TestBrowser.Answer {
        try await platform.call("POST", "/tenants/\(tenant)/sso/domains/\(id)/verify")
    }

    /// Creates and proves a domain.
    /// - Returns: its ID.
    func prove(_ domain: String = domain, of tenant: String = "acme") async throws -> String {
        let created = try await create(domain, of: tenant)
        try publish(created)
        #expect(try await verify(created.resourceID, of: tenant).string("outcome") == "found")
        return created.resourceID
    }

    func states(of tenant: String = "acme") async throws -> [String] {
        try await platform.call("GET", "/tenants/\(tenant)/sso/domains").elements.compactMap { $0["state"] as? String }
    }

    /// A sign-in of a member, as far as the provider remembers it.
    func noteSignIn() async throws {
        _ = try await platform.ownerPool.run("UPDATE sso_connection SET signed_in_at = now()")
    }
}
