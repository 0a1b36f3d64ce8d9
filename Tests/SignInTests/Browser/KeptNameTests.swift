import Foundation
import Postgres
import Server
import TestSupport
import Testing

/// The name of a first sign-in, which Apple sends once, after a failure of the database.
@Suite("Kept name")
struct KeptNameTests {
    /// Signs in for the first time, while the database accepts no user.
    private static func failedSignIn(
        _ platform: TestPlatform, _ browser: TestBrowser, _ request: TestBrowser.Request, person: String
    ) async throws {
        let form = try await browser.atApple(try await browser.authorize(request), person: person)
        try #require(form["user"] != nil)
        _ = try await platform.ownerPool.run(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$")
        _ = try await platform.ownerPool.run(
            "CREATE TRIGGER refuse BEFORE INSERT ON tenant_user FOR EACH ROW EXECUTE FUNCTION refuse()")
        #expect(try await browser.callback(form).reports(request, "server_error"))
        _ = try await platform.ownerPool.run("DROP TRIGGER refuse ON tenant_user")
        #expect(try await platform.count("tenant_user") == 0)
    }

    /// Signs in as after the first time, when Apple sends no name.
    private static func signIn(_ browser: TestBrowser, _ request: TestBrowser.Request, person: String) async throws {
        var form = try await browser.atApple(try await browser.authorize(request), person: person)
        form["user"] = nil
        #expect(try await browser.callback(form)["code"] != nil)
    }

    @Test("the next sign-in in this browser creates the user with the name")
    func created() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let person = try await platform.makePerson("Grace Hopper")
            try await Self.failedSignIn(platform, browser, request, person: person)
            #expect(browser.cookies.keys.contains { $0.hasSuffix("-n") })
            try await Self.signIn(browser, request, person: person)
            // The event of a new user comes from the statement that creates it, so nothing may change the user afterwards.
            let isFirst = "given_name = 'Grace' AND family_name = 'Hopper' AND updated_at = created_at"
            #expect(try await platform.count("tenant_user", where: isFirst) == 1)
        }
    }

    @Test("a user that exists by then gets the name, and another person does not")
    func existing() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let person = try await platform.makePerson("Grace Hopper")
            let other = try await platform.makePerson("Alan Turing")
            try await Self.failedSignIn(platform, browser, request, person: person)
            try await Self.signIn(TestBrowser(platform), request, person: person)
            #expect(try await platform.count("tenant_user", where: "given_name IS NULL") == 1)
            let waiting = browser.cookies
            try await Self.signIn(browser, request, person: other)
            #expect(try await platform.count("tenant_user", where: "given_name IS NULL") == 2)
            browser.cookies = waiting
            try await Self.signIn(browser, request, person: person)
            #expect(try await platform.count("tenant_user", where: "given_name = 'Grace'") == 1)
            #expect(try await platform.count("tenant_user", where: "given_name IS NULL") == 1)
        }
    }
}
