import Foundation
import Server
import Tenancy
import TestSupport
import Testing

@Suite("List own identities")
struct ListOwnIdentitiesTests {
    @Test("it lists the Apple Accounts of the token's user, and no others")
    func listed() async throws {
        try await Linking.run { linking in
            _ = try await linking.platform.login("Ada Lovelace")
            let one = try await linking.own("GET")
            #expect(one.status == 200 && one.data.count == 1 && one.header("Cache-Control") == "no-store")
            #expect(try await linking.user(linking.link(linking.page())) == linking.owner.user)
            let two = try await linking.own("GET")
            #expect(two.data.count == 2 && two.ids.first == one.ids.first)
        }
    }

    @Test("without a valid token of this tenant and an active session, it lists nothing")
    func refused() async throws {
        try await Linking.run { linking in
            let platform = linking.platform
            for token in ["", "x", linking.owner.access + "x", linking.owner.refresh, platform.acme.api_keys[0].secret] {
                #expect(try await linking.own("GET", token: token).isOAuthError(401, "invalid_token"), "\(token)")
            }
            #expect(try await linking.own("GET", of: platform.globex).isOAuthError(401, "invalid_token"))
            let ended = try await platform.call("POST", "/tenants/acme/sessions/\(linking.owner.session)/revoke")
            #expect(ended.status == 200)
            #expect(try await linking.own("GET").isOAuthError(401, "invalid_token"))
        }
    }
}
