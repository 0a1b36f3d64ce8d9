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

    /// Presses a button of the page.
    func decide(
        _ decision: TestBrowser.Decision, _ page: TestBrowser.Answer, replacing fields: [String: String?] = [:],
        headers: [(String, String)] = []
    ) async throws -> TestBrowser.Answer {
        try await browser.decide(decision, on: page, replacing: fields, headers: headers)
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
