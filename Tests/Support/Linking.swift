import Foundation
import NIOHTTP1
import Postgres
package import Server
import Tenancy

/// Two Apple Accounts with the same address. The first one has a user at Acme, and a browser signs in with the second one.
package struct Linking: Sendable {
    package let platform: TestPlatform
    /// People at Apple.
    package let first, second, address: String
    /// The login of the first one.
    package let owner: TestPlatform.LoggedIn
    package let browser: TestBrowser
    package let request: TestBrowser.Request

    /// - Parameter settings: further settings of Acme.
    package static func run(
        _ settings: [String: any Sendable] = [:], application: Int = 0, _ body: @Sendable @escaping (Linking) async throws -> Void
    ) async throws {
        try await TestPlatform.run { platform in
            if !settings.isEmpty { try await platform.set(settings) }
            try await body(try await make(platform, application: application))
        }
    }

    package static func make(_ platform: TestPlatform, application: Int = 0) async throws -> Linking {
        let address = platform.address("both")
        let first = try await platform.makePerson("First Owner", email: address)
        let second = try await platform.makePerson("Second Owner", email: address)
        return Linking(
            platform: platform, first: first, second: second, address: address, owner: try await platform.login(first),
            browser: TestBrowser(platform), request: TestBrowser.Request(platform.acme, application: application))
    }

    /// The same with another browser.
    package var elsewhere: Linking {
        Linking(
            platform: platform, first: first, second: second, address: address, owner: owner, browser: TestBrowser(platform),
            request: TestBrowser.Request(request.tenant, application: 0))
    }

    /// The same with another second Apple Account, in another browser.
    package func with(second person: String) -> Linking {
        Linking(
            platform: platform, first: first, second: person, address: address, owner: owner, browser: TestBrowser(platform),
            request: request)
    }

    /// The response to a sign-in at Apple.
    package func signIn(_ person: String? = nil) async throws -> TestBrowser.Answer {
        try await browser.signIn(request, person: person ?? second)
    }

    /// The page of a first sign-in with the second Apple Account.
    package func page() async throws -> TestBrowser.Answer {
        let answer = try await signIn()
        guard asks(answer) else { throw TestSimulator.Refused(description: "no page: \(answer.status) \(answer.location ?? answer.body)") }
        return answer
    }

    package func asks(_ answer: TestBrowser.Answer) -> Bool {
        answer.status == 200 && answer.body.contains("An account with this address exists already")
    }

    /// Presses the button that leads to Apple, and signs in there.
    package func link(_ page: TestBrowser.Answer, as person: String? = nil) async throws -> TestBrowser.Answer {
        let toApple = try await browser.press(page)
        return try await browser.callback(try await browser.atApple(toApple, person: person ?? first))
    }

    /// The user of a response with a code.
    package func user(_ back: TestBrowser.Answer) async throws -> String {
        guard let code = back["code"] else { throw TestSimulator.Refused(description: "\(back.status) \(back.location ?? back.body)") }
        let tokens = try await browser.redeem(code, request)
        return try claims(of: tokens.string("access_token"))["sub"] as? String ?? "\(tokens.status) \(tokens.body)"
    }

    /// Removes one of the owner's identities, as an administrator.
    package func remove(_ identity: String) async throws -> TestBrowser.Answer {
        try await platform.call("DELETE", "/tenants/acme/users/\(owner.user)/identities/\(identity)")
    }

    /// Changes after the page that asked, each of which prevents the link. The first three change the owner's address.
    package static let changesThatPrevent: [@Sendable (Linking) async throws -> Void] = [
        { _ = try await $0.platform.ownerPool.run("UPDATE tenant_user SET email = 'new@example.com'") },
        { _ = try await $0.platform.ownerPool.run("UPDATE tenant_user SET email_verified = false") },
        { _ = try await $0.platform.ownerPool.run("UPDATE tenant_user SET is_private_email = true") },
        { try await $0.platform.set(["account_linking": "off"]) },
        { _ = try await $0.platform.call("POST", "/tenants/acme/sessions/revoke?confirm=acme") },
        { linking in
            // Another tab has decided.
            let other = linking.elsewhere
            _ = try await other.user(try await other.browser.press(try await other.page(), "/separate"))
        },
    ]

    /// How many identities a user has.
    package func identities(of user: String? = nil) async throws -> Int {
        try await platform.call("GET", "/tenants/acme/users/\(user ?? owner.user)/identities").data.count
    }
}

extension Linking {
    /// Calls an operation of the owner's own identities.
    package func own(
        _ method: String, _ path: String = "", _ body: [String: any Sendable]? = nil, token: String? = nil,
        of tenant: SeedResult.TenantResult? = nil
    ) async throws -> TestBrowser.Answer {
        let text = try body.map { String(decoding: try JSONSerialization.data(withJSONObject: $0), as: UTF8.self) }
        return try await TestBrowser(platform).send(
            method, "\((tenant ?? request.tenant).issuer)/users/me/identities\(path)",
            headers: [("Authorization", "Bearer \(token ?? owner.access)")] + (body == nil ? [] : [("Content-Type", "application/json")]),
            body: text)
    }

    /// The address for the browser in which the owner adds an Apple Account.
    package func requestAddress(state: String? = "s") async throws -> String {
        var body: [String: any Sendable] = ["redirect_uri": request.redirectURI]
        body["state"] = state
        let answer = try await own("POST", "", body)
        guard let url = answer.string("url") else { throw TestSimulator.Refused(description: "\(answer.status) \(answer.body)") }
        return url
    }

    /// The page that asks for the confirmation.
    package func confirmation(at url: String, as person: String? = nil) async throws -> TestBrowser.Answer {
        try await browser.callback(try await browser.atApple(try await browser.get(url), person: person ?? second))
    }

    /// Confirms one more Apple Account, and returns the result that the application receives.
    package func confirm(as person: String? = nil) async throws -> String {
        let back = try await browser.press(try await confirmation(at: try await requestAddress(), as: person))
        guard let result = back["result"] else { throw TestSimulator.Refused(description: "\(back.status) \(back.location ?? back.body)") }
        return result
    }

    /// Sends a result to Espalier.
    package func complete(
        _ result: String, token: String? = nil, of tenant: SeedResult.TenantResult? = nil
    ) async throws -> TestBrowser.Answer {
        try await own("POST", "/completion", ["result": result], token: token, of: tenant)
    }

    package func asksToConnect(_ answer: TestBrowser.Answer) -> Bool {
        answer.status == 200 && answer.body.contains("Connect this Apple Account?")
    }
}

extension TestPlatform {
    /// An address for this test only.
    package func address(_ name: String) -> String { "\(name)-\(own.team.lowercased())@example.com" }

    /// Creates a person at Apple for this test only, because all tests share the simulator.
    package func makePerson(_ name: String, email: String? = nil) async throws -> String {
        let id = "\(name.lowercased().replacing(" ", with: "-"))-\(own.team.lowercased())"
        try await simulator.send(.POST, "/simulator/people", ["name": name, "id": id, "email": email ?? "\(id)@example.com"])
        return id
    }

    /// Changes settings of Acme, in this process too.
    package func set(_ settings: [String: any Sendable]) async throws {
        let changed = try await call("PATCH", "/tenants/acme", settings)
        guard changed.status == 200 else { throw TestSimulator.Refused(description: changed.body) }
        installation.directory.forgetAll(isFresh: true)
    }

    /// Replaces a claim of Apple's next tokens for Acme; nil removes it. The id_token of the form and the one for the code are changed.
    package func claim(_ name: String, _ value: (any Sendable)?) async throws {
        for endpoint in ["authorize", "token"] {
            var fault: [String: any Sendable] = [
                "endpoint": endpoint, "fault": "claim", "claim": name, "client_id": own.servicesID, "times": 1,
            ]
            fault["value"] = value
            try await simulator.fault(fault)
        }
    }
}

extension TestBrowser {
    /// Presses a button of a page.
    /// - Parameters:
    ///   - path: what the button adds to the path of the form.
    ///   - fields: fields to replace, or to remove if nil.
    package func press(
        _ page: Answer, _ path: String = "", replacing fields: [String: String?] = [:], headers: [(String, String)] = []
    ) async throws -> Answer {
        guard let form = AppleForm(html: page.body) else {
            throw TestSimulator.Refused(description: "no form: \(page.status) \(page.body)")
        }
        let kept = form.fields.filter { fields[$0.0] == nil }
        let replaced = fields.compactMap { name, value in value.map { (name, $0) } }
        return try await post(TestPlatform.publicURL + form.action + path, form: kept + replaced, headers: headers)
    }
}
