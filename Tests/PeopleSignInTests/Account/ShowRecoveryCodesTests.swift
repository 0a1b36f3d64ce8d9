import TestSupport
import Testing

@Suite("Show recovery codes")
struct ShowRecoveryCodesTests {
    @Test("the page asks before new codes end the earlier ones, and changes nothing")
    func asks() async throws {
        try await TestPlatform.run { platform in
            let account = try await OwnAccount.make(platform)
            _ = try await account.send("/account/recovery-codes", from: "/account/recovery-codes")
            let stored = try await platform.count("recovery_code")
            let page = try await account.get("/account/recovery-codes")
            #expect(page.status == 200 && page.body.contains("action=\"/account/recovery-codes\"") && !page.body.contains("<code"))
            #expect(try await platform.count("recovery_code") == stored)
            #expect(try await account.actions() == ["renewRecoveryCodes"])
        }
    }

    @Test("it needs a recent sign-in")
    func recent() async throws {
        try await TestPlatform.run { platform in
            let account = try await OwnAccount.make(platform, signedIn: 700)
            #expect(try await account.get("/account/recovery-codes").location == "/account/sign-in?again=/account/recovery-codes")
        }
    }
}
