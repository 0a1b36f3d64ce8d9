import Foundation
import NIOHTTP1
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

@Suite("List of consents")
struct ListConsentsTests {
    @Test("the list has what the user allowed on the page, newest first")
    func listed() async throws {
        try await SingleSignOn.runWithThirdParty { sso in
            let first = try await sso.signIn()
            _ = try await sso.platform.ownerPool.run("UPDATE application SET is_third_party = true")
            sso.platform.installation.directory.forgetAll(isFresh: true)
            #expect(try await sso.consents(of: first.user).isEmpty)
            _ = try await sso.allow()
            let (page, request) = try await sso.ask()
            _ = try await sso.login(try await sso.decide(.allow, page), request)
            let listed = try await sso.consents(of: first.user)
            let applications = [1, 2].map { sso.platform.acme.applications[$0].client_id }
            #expect(listed.map { $0["application_id"] as? String } == applications)
            for consent in listed {
                #expect(consent["object"] as? String == "consent" && consent["user_id"] as? String == first.user)
                #expect(consent["scope"] as? String == "email openid profile")
            }
            let part = try await sso.platform.call("GET", "/tenants/acme/users/\(first.user)/consents?limit=1").json
            #expect((part["data"] as? [[String: any Sendable]])?.count == 1)
            let after = (part["list_metadata"] as? [String: any Sendable])?["after"] as? String ?? ""
            let next = try await sso.platform.call("GET", "/tenants/acme/users/\(first.user)/consents?after=\(after)").json
            #expect((next["data"] as? [[String: any Sendable]])?.map { $0["application_id"] as? String } == [applications[1]])
        }
    }

    @Test("an unknown user gets 404")
    func unknown() async throws {
        try await SingleSignOn.run { sso in
            let path = "/tenants/acme/users/user_\(String(repeating: "0", count: 26))/consents"
            let unknown = try await sso.platform.call("GET", path)
            #expect(unknown.status == 404)
        }
    }
}
