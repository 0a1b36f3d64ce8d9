import Access
import Encoding
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("Add passkey")
struct AddPasskeyTests {
    private static func options(of page: TestBrowser.Answer) throws -> [String: Any] {
        let text = try #require(page.body.firstMatch(of: /data-options="([^"]*)"/)).1
            .replacing("&quot;", with: "\"").replacing("&amp;", with: "&").replacing("&#39;", with: "'")
        return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    private static func send(
        _ registration: SoftwareAuthenticator.Registration, _ account: OwnAccount, of page: TestBrowser.Answer
    ) async throws -> TestBrowser.Answer {
        try await account.browser.sendForm(
            "/account/new-passkey",
            [
                ("name", "Phone"), ("client_data", registration.clientData.base64URL),
                ("attestation_object", registration.attestationObject.base64URL), ("transports", "internal,hybrid"),
            ], of: page)
    }

    @Test("a passkey of this browser's page is saved with its name, and its response counts once")
    func adds() async throws {
        try await TestPlatform.runWithMail { platform, mails in
            let account = try await OwnAccount.make(platform)
            let page = try await account.get("/account/new-passkey")
            let options = try Self.options(of: page)
            let challenge = try #require((options["challenge"] as? String).flatMap { [UInt8](base64URL: $0) })
            #expect((options["user"] as? [String: Any])?["name"] as? String == account.email)
            #expect(page.header("Content-Security-Policy")?.contains("script-src 'sha256-") == true)
            #expect(page.header("Content-Security-Policy")?.contains("form-action 'self'") == true)
            let authenticator = SoftwareAuthenticator()
            let registration = authenticator.registration(challenge)
            let cookies = account.browser.cookies
            let added = try await Self.send(registration, account, of: page)
            #expect(added.status == 303 && added.location == "/account/passkeys")
            #expect(try await account.get("/account/passkeys").body.contains("Phone"))
            let notice = try #require(try await mails.mail(to: account.email).part("plain"))
            for text in ["A passkey was added", "Name of the passkey: Phone", "127.0.0.1"] { #expect(notice.contains(text)) }
            #expect(try await account.actions() == ["addPasskey"])
            // The same response with the same cookie: its challenge is used up. Another page lists the passkey.
            account.browser.cookies = cookies
            let again = try await Self.send(registration, account, of: page)
            #expect(again.status == 400 && again.body.contains("role=\"alert\""))
            #expect(try await platform.count("passkey") == 1)
            let next = try Self.options(of: try await account.get("/account/new-passkey"))
            #expect((next["excludeCredentials"] as? [Any])?.count == 1)
        }
    }

    @Test("the challenge of another browser, another origin, and a passkey of another account are refused")
    func refuses() async throws {
        try await TestPlatform.run { platform in
            let (account, other) = (try await OwnAccount.make(platform), try await OwnAccount.make(platform, "Grace"))
            func challenge(_ page: TestBrowser.Answer) throws -> [UInt8] {
                try #require((try Self.options(of: page)["challenge"] as? String).flatMap { [UInt8](base64URL: $0) })
            }
            let foreign = try challenge(try await other.get("/account/new-passkey"))
            var page = try await account.get("/account/new-passkey")
            let authenticator = SoftwareAuthenticator()
            #expect(try await Self.send(authenticator.registration(foreign), account, of: page).status == 400)
            page = try await account.get("/account/new-passkey")
            var phishing = authenticator
            phishing.origin = "https://login.test.evil.example"
            #expect(try await Self.send(phishing.registration(try challenge(page)), account, of: page).status == 400)
            page = try await account.get("/account/new-passkey")
            #expect(try await Self.send(authenticator.registration(try challenge(page)), account, of: page).status == 303)
            // The credential is unique among all accounts.
            page = try await other.get("/account/new-passkey")
            #expect(try await Self.send(authenticator.registration(try challenge(page)), other, of: page).status == 400)
            #expect(try await platform.count("passkey") == 1)
        }
    }
}
