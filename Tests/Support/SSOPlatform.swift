import Access
import Domains
import Encoding
package import Foundation
import Postgres
import Testing

@testable package import Server

/// A platform with a resolver, where Acme can have a provider for its members.
package struct SSOPlatform: Sendable {
    package static let domain = "customer.test"

    package let platform: TestPlatform
    package let resolver: TestResolver

    package static func run(
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

    /// The same, with a provider of Acme and its proved domain.
    package static func run(
        with provider: FakeProvider, _ adjust: @escaping @Sendable (inout Settings) -> Void = { _ in },
        _ body: @Sendable @escaping (SSOPlatform) async throws -> Void
    ) async throws {
        try await run(adjust) { sso in
            let set = try await sso.set(provider.issuer)
            #expect(set.status == 200, "\(set.body)")
            _ = try await sso.prove()
            try await body(sso)
        }
    }

    package func set(
        _ issuer: String, client: String = FakeProvider.clientID, secret: String? = FakeProvider.secret, of tenant: String = "acme",
        _ members: [String: any Sendable] = [:]
    ) async throws -> TestBrowser.Answer {
        var body: [String: any Sendable] = ["issuer": issuer, "client_id": client]
        body["client_secret"] = secret
        return try await platform.call("PUT", "/tenants/\(tenant)/sso", body.merging(members) { $1 })
    }

    // MARK: Domains

    package func create(_ domain: String = domain, of tenant: String = "acme") async throws -> TestBrowser.Answer {
        try await platform.call("POST", "/tenants/\(tenant)/sso/domains", ["domain": domain])
    }

    /// Publishes the record of a domain.
    package func publish(_ domain: TestBrowser.Answer) throws {
        let record = try #require(domain.json["proof"] as? [String: Any], "\(domain.body)")
        resolver.publish(try #require(record["value"] as? String), at: try #require(record["name"] as? String))
    }

    package func verify(_ id: String, of tenant: String = "acme") async throws -> TestBrowser.Answer {
        try await platform.call("POST", "/tenants/\(tenant)/sso/domains/\(id)/verify")
    }

    /// Creates and proves a domain.
    /// - Returns: its ID.
    package func prove(_ domain: String = domain, of tenant: String = "acme") async throws -> String {
        let created = try await create(domain, of: tenant)
        try publish(created)
        let verified = try await verify(created.resourceID, of: tenant)
        #expect(verified.string("outcome") == "found", "\(verified.body)")
        return created.resourceID
    }

    package func states(of tenant: String = "acme") async throws -> [String] {
        try await platform.call("GET", "/tenants/\(tenant)/sso/domains").elements.compactMap { $0["state"] as? String }
    }

    /// A sign-in of a member, as far as the provider remembers it.
    package func noteSignIn() async throws {
        _ = try await platform.ownerPool.run("UPDATE sso_connection SET signed_in_at = now()")
    }

    /// Requires the provider for the members of Acme.
    package func require(_ provider: FakeProvider) async throws {
        try await noteSignIn()
        let required = try await set(provider.issuer, secret: nil, ["is_required": true])
        #expect(required.status == 200, "\(required.body)")
    }

    // MARK: People

    package func invite(_ email: String, to tenant: String = "acme", as role: String = "developer") async throws {
        let invited = try await platform.call("POST", "/tenants/\(tenant)/invitations", ["email": email, "role": role])
        #expect(invited.status == 201, "\(invited.body)")
    }

    /// Adds an account to the table, by default as a member of Acme.
    /// - Returns: the ID of the person.
    package func add(_ email: String, as role: String? = "developer", of tenant: String? = nil, isProved: Bool = false) async throws -> UUID
    {
        let (person, owner) = (UUID(), try #require(ID<Tenant>(tenant ?? platform.acme.id)).uuid)
        let provedAt: Date? = isProved ? Date() : nil
        _ = try await platform.ownerPool.run(
            """
            INSERT INTO person (id, name, email, email_proved_at, created_at, updated_at)
            VALUES (\(person), 'Ada', \(email), \(provedAt), now(), now())
            """)
        guard let role else { return person }
        _ = try await platform.ownerPool.run(
            """
            INSERT INTO membership (tenant_id, id, person_id, role, created_at, updated_at)
            VALUES (\(owner), \(UUID()), \(person), \(role), now(), now())
            """)
        return person
    }

    // MARK: A sign-in

    package static var root: String { TestPlatform.publicURL }

    /// The token of the forms of a page.
    package static func csrf(_ page: TestBrowser.Answer) throws -> String {
        let found = page.body.firstMatch(of: /name="csrf" value="([^"]*)"/)
        return String(try #require(found, "\(page.status) \(page.body)").1)
    }

    /// Enters an address on the sign-in page, also in a browser that is signed in.
    package func enter(_ email: String, in browser: TestBrowser) async throws -> TestBrowser.Answer {
        let page = try await browser.get("\(platform.settings.publicURL)/account/sign-in?again=/account")
        return try await browser.post(
            "\(platform.settings.publicURL)/account/sign-in", form: [("csrf", try Self.csrf(page)), ("email", email)])
    }

    /// The URL of the provider to which the page after the address leads.
    package func start(_ email: String, in browser: TestBrowser) async throws -> String {
        let page = try await enter(email, in: browser)
        #expect(page.body.contains(#"action="/account/sso"#), "\(page.status) \(page.body)")
        let answer = try await browser.post(
            "\(platform.settings.publicURL)/account/sso", form: [("csrf", try Self.csrf(page)), ("email", email)])
        let refresh = try #require(answer.header("Refresh"), "\(answer.status) \(answer.location ?? answer.body)")
        #expect(refresh.hasPrefix("0; url="))
        return String(refresh.dropFirst("0; url=".count))
    }

    /// The response of the provider, as the browser brings it back.
    package static func callback(_ code: String, _ state: String) -> String {
        TestBrowser.Request.url("\(root)/account/sso/callback", [("code", code), ("state", state)])
    }

    /// Signs in with a provider.
    package func signIn(_ email: String, at provider: FakeProvider, in browser: TestBrowser) async throws -> TestBrowser.Answer {
        let (code, query) = try provider.authorize(try await start(email, in: browser))
        return try await browser.get(Self.callback(code, query["state"] ?? ""))
    }

    /// How many sessions exist.
    package func sessions(where condition: String = "true") async throws -> Int {
        try await platform.count("person_session", where: condition)
    }
}
