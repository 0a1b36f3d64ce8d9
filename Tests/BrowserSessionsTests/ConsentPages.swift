import Foundation
import NIOHTTP1
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

/// A browser at the page that asks about an application of a third party.
extension SingleSignOn {
    /// Turns single sign-on on, and makes Acme's third application one of a third party.
    static func runWithThirdParty(_ body: @Sendable @escaping (SingleSignOn) async throws -> Void) async throws {
        try await run { sso in
            let client = sso.platform.acme.applications[2].client_id
            let changed = try await sso.platform.call("PATCH", "/tenants/acme/applications/\(client)", ["is_third_party": true])
            #expect(changed.status == 200)
            sso.platform.installation.directory.forgetAll(isFresh: true)
            try await body(sso)
        }
    }

    enum Decision: String {
        case allow = ""
        case refuse = "/refusal"
        case otherAccount = "/sign-in"
    }

    /// Presses a button of the page.
    func decide(
        _ decision: Decision, _ page: TestBrowser.Answer, replacing fields: [String: String?] = [:], headers: [(String, String)] = []
    ) async throws -> TestBrowser.Answer {
        let form = try #require(TestBrowser.AppleForm(html: page.body), "\(page.status) \(page.body)")
        let kept = form.fields.filter { fields[$0.0] == nil }
        let replaced = fields.compactMap { name, value in value.map { (name, $0) } }
        return try await browser.post(
            TestPlatform.publicURL + form.action + decision.rawValue, form: kept + replaced, headers: headers)
    }

    /// Allows the application at the third place.
    func allow(_ changes: [String: String?] = [:]) async throws -> Login {
        let (page, request) = try await ask(changes, at: 2)
        #expect(asksForConsent(page), "\(page.status) \(page.location ?? page.body)")
        return try await login(try await decide(.allow, page), request)
    }

    func consents(of user: String) async throws -> [[String: any Sendable]] {
        let answer = try await platform.call("GET", "/tenants/acme/users/\(user)/consents")
        #expect(answer.status == 200, "\(answer.body)")
        return answer.json["data"] as? [[String: any Sendable]] ?? []
    }
}
