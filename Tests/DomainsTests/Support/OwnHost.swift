import Access
import Domains
import Foundation
import Postgres
import Tenancy
import TestSupport
import Testing

@testable import Server

/// A platform with a resolver, and a host of Acme.
struct OwnHost: Sendable {
    static let name = "login.acme.test"
    static let url = "https://\(name)"

    let platform: TestPlatform
    let resolver: TestResolver

    /// Without a domain.
    static func unclaimed(
        _ adjust: @escaping @Sendable (inout Settings) -> Void = { _ in }, _ body: @Sendable @escaping (OwnHost) async throws -> Void
    ) async throws {
        try await TestResolver.run { resolver in
            try await TestPlatform.run({ settings in
                settings.dnsResolvers = [.init(resolver.setting)!]
                adjust(&settings)
            }) { platform in try await body(OwnHost(platform: platform, resolver: resolver)) }
        }
    }

    /// With Acme's domain, which serves it. Apple knows its Return URL.
    static func run(
        _ adjust: @escaping @Sendable (inout Settings) -> Void = { _ in }, _ body: @Sendable @escaping (OwnHost) async throws -> Void
    ) async throws {
        try await unclaimed(adjust) { own in
            _ = try await own.activate(name)
            try await own.platform.simulator.send(
                .PUT, "/simulator/services-ids/\(own.platform.own.servicesID)",
                [
                    "team": own.platform.own.team, "display_name": "Test",
                    "return_urls": ["\(own.platform.acme.issuer)/auth/apple/callback", "\(url)/auth/apple/callback"],
                ])
            try await body(own)
        }
    }

    // MARK: The registry

    func create(_ host: String = name, of tenant: String = "acme") async throws -> TestBrowser.Answer {
        try await platform.call("POST", "/tenants/\(tenant)/domains", ["host": host])
    }

    /// Publishes the record of a domain.
    func publish(_ domain: TestBrowser.Answer) throws {
        let record = try #require((domain.json["proof"] as? [String: Any])?["record"] as? [String: Any], "\(domain.body)")
        resolver.publish(try #require(record["value"] as? String), at: try #require(record["name"] as? String))
    }

    func verify(_ id: String, of tenant: String = "acme") async throws -> TestBrowser.Answer {
        try await platform.call("POST", "/tenants/\(tenant)/domains/\(id)/verify")
    }

    func get(_ id: String, of tenant: String = "acme") async throws -> TestBrowser.Answer {
        try await platform.call("GET", "/tenants/\(tenant)/domains/\(id)")
    }

    /// Changes a domain whose host leads nowhere.
    func patch(_ id: String, _ members: [String: any Sendable]) async throws -> TestBrowser.Answer {
        try await platform.call("PATCH", "/tenants/acme/domains/\(id)", members.merging(["skip_check": true]) { $1 })
    }

    /// The same, and lets the server read it.
    func change(_ id: String, _ members: [String: any Sendable]) async throws -> TestBrowser.Answer {
        let answer = try await patch(id, members)
        try await settle()
        return answer
    }

    func state(_ id: String, of tenant: String = "acme") async throws -> String? {
        try await get(id, of: tenant).string("state")
    }

    /// Creates and proves a domain. The server knows it then.
    /// - Returns: its ID.
    func activate(_ host: String, of tenant: String = "acme") async throws -> String {
        let created = try await create(host, of: tenant)
        try publish(created)
        let verified = try await verify(created.resourceID, of: tenant)
        #expect(verified.string("outcome") == "found", "\(verified.body)")
        try await settle()
        return created.resourceID
    }

    /// Lets the server read the hosts and tenants again, as after a notification.
    func settle() async throws {
        try await platform.installation.hosts.read(everything: true)
        platform.installation.directory.forgetAll(isFresh: true)
    }

    /// Sets columns of Acme's domain, to let time pass.
    func set(_ assignments: String) async throws {
        _ = try await platform.ownerPool.run(SQL(unsafe: "UPDATE domain SET \(assignments) WHERE host = '\(Self.name)'"))
    }

    // MARK: Browsers

    func browser(at hosts: [String] = [name]) -> TestBrowser { TestBrowser(platform, alsoAt: hosts) }

    /// The form of the page of the platform's Return URL, which passes Apple's answer on.
    static func passedOn(_ answer: TestBrowser.Answer) throws -> TestBrowser.AppleForm {
        #expect(answer.status == 200 && answer.location == nil)
        return try #require(TestBrowser.AppleForm(html: answer.body), "\(answer.status) \(answer.body)")
    }

    /// Acme at its own host.
    var acme: SeedResult.TenantResult { platform.acme.at(Self.url) }
}

extension SeedResult.TenantResult {
    /// The tenant at another address.
    func at(_ issuer: String) -> SeedResult.TenantResult {
        SeedResult.TenantResult(
            slug: slug, id: id, issuer: issuer, connection: connection, return_url: "\(issuer)/auth/apple/callback",
            applications: applications, api_keys: api_keys)
    }
}

extension TestBrowser.Answer {
    /// Whether the response is a 400 that names this field.
    func refuses(_ field: String) -> Bool {
        let named = (json["errors"] as? [[String: Any]])?.compactMap { $0["field"] as? String } ?? []
        return status == 400 && named.contains(field)
    }
}
