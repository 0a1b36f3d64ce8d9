import Access
import Postgres
import Server
import TestSupport
import Testing

@Suite("Ask for certificate")
struct AskForCertificateTests {
    @Test("the server's own host and serving hosts may have a certificate, and no other host")
    func asks() async throws {
        try await OwnHost.run { own in
            _ = try await own.create("claimed.acme.test")
            let browser = own.browser()
            func ask(_ host: String) async throws -> Int {
                try await browser.get("\(TestPlatform.publicURL)/certificates/ask?domain=\(host)").status
            }
            for host in [OwnHost.name, "LOGIN.acme.test", "login.test"] { #expect(try await ask(host) == 200, "\(host)") }
            for host in [
                "claimed.acme.test", "other.test", "acme.test", "x.\(OwnHost.name)", "127.0.0.1", "login.acme.test%CC%81",
                "login.acme%E2%80%8D.test", "%D8%80login.acme.test", "login.acme.test%00", "a%20b",
            ] {
                let status = try await ask(host)
                #expect(status == 404 || status == 400, "\(host)")
            }
            #expect(try await browser.get("\(TestPlatform.publicURL)/certificates/ask").status == 404)
            // Not at a tenant's host.
            #expect(try await browser.get("\(OwnHost.url)/certificates/ask?domain=\(OwnHost.name)").status == 404)
        }
    }

    @Test("questions about unknown hosts cost no statement, and claims do not empty the table")
    func cost() async throws {
        try await OwnHost.run { own in
            let (browser, ask) = (own.browser(), "\(TestPlatform.publicURL)/certificates/ask?domain=")
            _ = try await own.create("claimed.acme.test")
            // A statement would wait for the lock, until it is refused.
            _ = try await PlatformDatabase(own.platform.ownerPool).transaction { db in
                _ = try await db.run("LOCK TABLE domain, lost_host IN ACCESS EXCLUSIVE MODE")
                for number in 1...50 { #expect(try await browser.get("\(ask)guess-\(number).test").status == 404) }
                #expect(try await browser.get("\(ask)claimed.acme.test").status == 404)
                #expect(try await browser.get("\(ask)\(OwnHost.name)").status == 200)
            }
        }
    }
}
