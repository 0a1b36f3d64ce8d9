import Server
import TestSupport
import Testing

@Suite("List domains")
struct ListDomainsTests {
    @Test("a tenant sees its own domains, newest first, in pages")
    func lists() async throws {
        try await OwnHost.unclaimed { own in
            for number in 1...3 { #expect(try await own.create("login-\(number).acme.test").status == 201) }
            #expect(try await own.create("login.globex.test", of: "globex").status == 201)
            let all = try await own.platform.call("GET", "/tenants/acme/domains")
            #expect(all.elements.compactMap { $0["host"] as? String } == ["login-3.acme.test", "login-2.acme.test", "login-1.acme.test"])
            let page = try await own.platform.call("GET", "/tenants/acme/domains?limit=2")
            #expect(page.elements.count == 2)
            let other = own.platform.globex.api_keys[0].secret
            #expect(try await own.platform.call("GET", "/tenants/acme/domains", key: other).status == 404)
        }
    }
}
