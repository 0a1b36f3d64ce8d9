import Foundation
import Server
import TestSupport
import Testing

@Suite("Mushu sign-in")
struct MushuSignInTests {
    @Test("Apple's id_token gives a user and tokens, with the name that Apple sent once, and one usage event", arguments: [0, 1])
    func signIn(tenant number: Int) async throws {
        try await TestPlatform.run { platform in
            let phone = try await Phone.make(platform, tenant: number)
            let client = try await MushuClient.make(platform, tenant: number, [:])
            let credential = try await phone.authorize("Ada Lovelace")
            let body: [String: any Sendable] = [
                "id_token": credential.idToken, "access_code": credential.code, "nonce": credential.nonce ?? "",
                "given_name": credential.name?.given, "family_name": credential.name?.family, "app_id": "ignored",
            ].compactMapValues { $0 }
            let answer = try await client.post("auth/apple", body)
            #expect(answer.status == 200, "\(answer.body)")
            #expect(Set(answer.json.keys) == ["user", "tokens"])
            #expect(
                Set(answer.user.keys) == ["user_id", "user_type", "email", "email_verified", "name", "created_at", "last_login"])
            #expect(answer.user["name"] as? String == "Ada Lovelace")
            #expect(answer.user["user_type"] as? String == "apple")
            #expect(answer.user["email_verified"] as? Bool == true)
            #expect(answer.user["user_id"] as? String == (try claims(of: answer.tokens.access))["sub"] as? String)
            #expect(try await client.isValid(answer.tokens.access))
            #expect(try await client.refresh(answer.tokens).status == 200)
            #expect(try await platform.countBilled() == 1)

            // The id_token and its nonce work once.
            let again = try await client.post("auth/apple", body)
            #expect(again.isRefusal(401), "\(again.body)")
            #expect(try await platform.countBilled() == 1)
        }
    }

    @Test("an application of a third party is refused if its user has not allowed it")
    func thirdParty() async throws {
        try await TestPlatform.run { platform in
            let phone = try await Phone.make(platform)
            let client = try await MushuClient.make(platform, ["is_third_party": true])
            let credential = try await phone.authorize()
            let body = ["id_token": credential.idToken, "access_code": credential.code, "nonce": credential.nonce ?? ""]
            #expect(try await client.post("auth/apple", body).isRefusal(403))
            let exchanged = try await client.post("auth/apple/exchange", ["identity_token": try await phone.authorize(nonce: nil).idToken])
            #expect(exchanged.isRefusal(403), "\(exchanged.body)")
            #expect(try await platform.count("session") == 0)
        }
    }

    @Test("each missing or invalid member is named, and nothing is billed")
    func invalid() async throws {
        try await TestPlatform.run { platform in
            let client = try await MushuClient.make(platform, [:])
            #expect(
                try await client.post("auth/apple", [:]).invalidParts
                    == ["body.id_token: missing", "body.access_code: missing", "body.nonce: missing"])
            let wrong = try await client.post(
                "auth/apple", ["id_token": 1, "access_code": "", "nonce": String(repeating: "n", count: 513), "given_name": ["x"]])
            #expect(
                wrong.invalidParts == [
                    "body.id_token: value_error", "body.access_code: value_error", "body.nonce: value_error",
                    "body.given_name: value_error",
                ], "\(wrong.body)")
            for text in ["{", "[]", ""] { #expect(try await client.post("auth/apple", text: text).invalidParts == ["body: value_error"]) }
            #expect(try await client.post("auth/apple", text: "a=b", type: "application/x-www-form-urlencoded").isRefusal(415))
            #expect(try await platform.count("session") == 0)
        }
    }

    @Test("an id_token that is forged, old, for another application or presented with another nonce is refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let phone = try await Phone.make(platform)
            let client = try await MushuClient.make(platform, [:])
            func send(_ credential: Phone.Credential, nonce: String? = nil) async throws -> TestBrowser.Answer {
                try await client.post(
                    "auth/apple",
                    ["id_token": credential.idToken, "access_code": credential.code, "nonce": nonce ?? credential.nonce ?? ""])
            }
            var forged = try await phone.authorize()
            forged.idToken = String(forged.idToken.dropLast(8)) + "AAAAAAAA"
            #expect(try await send(forged).isRefusal(401))
            #expect(try await send(try await phone.authorize(), nonce: "other").isRefusal(401))
            // The bundle ID is registered at the connection, but at no application.
            #expect(try await send(try await phone.authorize(as: phone.otherBundleID)).isRefusal(401))
            #expect(try await platform.countBilled() == 0)
        }
    }

    @Test("an application of another kind, an unknown one and one of another tenant are refused")
    func applications() async throws {
        try await TestPlatform.run { platform in
            let phone = try await Phone.make(platform)
            let credential = try await phone.authorize()
            let body = ["id_token": credential.idToken, "access_code": credential.code, "nonce": credential.nonce ?? ""]
            let text = String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self)
            func send(_ tenant: String, _ client: String) async throws -> TestBrowser.Answer {
                try await TestBrowser(platform).send(
                    "POST", "\(TestPlatform.publicURL)/t/\(tenant)/mushu/\(client)/auth/apple",
                    headers: [("Content-Type", "application/json")], body: text)
            }
            let secret = try await send("acme", platform.acme.applications[0].client_id)
            #expect(secret.isRefusal(403))
            #expect(secret.string("detail")?.contains("secret") == true)
            let page = try await platform.call(
                "POST", "/tenants/acme/applications", ["name": "Page", "kind": "spa", "redirect_uris": ["https://app.test/"]])
            #expect(try await send("acme", page.string("id") ?? "").isRefusal(403))
            #expect(try await send("acme", "app_00000000000000000000000000").isRefusal(404))
            #expect(try await send("acme", platform.globex.applications[1].client_id).isRefusal(404))
            #expect(try await send("nobody", platform.acme.applications[1].client_id).isRefusal(404))
            #expect(try await platform.countBilled() == 0)
        }
    }
}
