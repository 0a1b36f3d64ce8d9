import Foundation
import NIOHTTP1
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

@Suite("Add own identity")
struct AddOwnIdentityTests {
    @Test("the response has an address for the browser, and nothing changes")
    func requested() async throws {
        try await Linking.run { linking in
            let answer = try await linking.own("POST", "", ["redirect_uri": linking.request.redirectURI, "state": "s"])
            #expect(answer.status == 201 && answer.header("Cache-Control") == "no-store", "\(answer.body)")
            #expect(answer.string("url")?.hasPrefix("\(linking.platform.acme.issuer)/oauth2/identities?ticket=") == true)
            let expiry = try Date(try #require(answer.string("expires_at")), strategy: .iso8601)
            #expect((590...610).contains(expiry.timeIntervalSinceNow))
            #expect(try await linking.identities() == 1)
            #expect(try await linking.platform.audited("addOwnIdentity").isEmpty)
        }
    }

    @Test("an address that is not the application's, a wrong member, and an old sign-in are refused")
    func refused() async throws {
        try await Linking.run { linking in
            let uri = linking.request.redirectURI
            for body in [
                [:], ["redirect_uri": "https://evil.test/"], ["redirect_uri": uri + "/"], ["redirect_uri": uri, "state": ""],
                ["redirect_uri": uri, "state": String(repeating: "a", count: 513)],
                ["redirect_uri": uri, "state": String(repeating: "\u{1F34E}", count: 129)],
                ["redirect_uri": uri, "user_id": linking.owner.user],
            ] as [[String: any Sendable]] {
                #expect(try await linking.own("POST", "", body).isProblem(400, "invalid"), "\(body)")
            }
            #expect(try await linking.own("POST", "", ["redirect_uri": uri], token: "x").isOAuthError(401, "invalid_token"))
            _ = try await linking.platform.ownerPool.run("UPDATE session SET authenticated_at = now() - interval '601 seconds'")
            let old = try await linking.own("POST", "", ["redirect_uri": uri])
            #expect(old.isOAuthError(401, "insufficient_user_authentication"), "\(old.body)")
        }
    }

    @Test("the longest state returns unchanged")
    func longest() async throws {
        try await Linking.run { linking in
            let state = String(repeating: "\u{1F34E}", count: 128)
            let page = try await linking.confirmation(at: try await linking.requestAddress(state: state))
            let back = try await linking.browser.press(page)
            #expect(back["state"] == state && back["result"] != nil, "\(back.status) \(back.body)")
        }
    }
}
