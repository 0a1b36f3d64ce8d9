import Crypto
import Foundation
import NIOHTTP1
import Postgres
import Server
import TestSupport
import Testing

@Suite("Create connection")
struct CreateConnectionTests {
    private let path = "/tenants/acme/connections"

    @Test("credentials are stored and checked, the reply has the values for Apple's portal, and never the key")
    func created() async throws {
        try await TestPlatform.run { platform in
            let apple = try await AppleTeam.make(platform)
            let answer = try await platform.call(
                "POST", path, key: platform.acme.api_keys[0].secret,
                apple.body(["bundle_ids": ["com.example.app"], "email_sources": ["example.com", "news@example.com"]]))
            #expect(answer.status == 201, "\(answer.body)")
            #expect(answer.header("Location") == "/v1\(path)/\(answer.resourceID)")
            #expect(answer.json["object"] as? String == "connection")
            #expect(answer.json["ownership"] as? String == "own")
            #expect(answer.json["team_id"] as? String == apple.team)
            #expect(answer.json["services_id"] as? String == apple.servicesID)
            #expect(answer.json["serving"] as? Bool == false)
            let portal = answer.json["apple_portal"] as? [String: any Sendable]
            #expect(portal?["return_url"] as? String == "https://login.test/t/acme/auth/apple/callback")
            #expect(portal?["domain"] as? String == "login.test")
            #expect(portal?["notification_url"] as? String == "https://login.test/t/acme/auth/apple/notifications")
            #expect(portal?["email_sources"] as? [String] == ["example.com", "news@example.com"])
            #expect(answer.checkOutcome == "passed", "\(answer.stepDetails)")
            #expect(
                answer.stepOutcomes == [
                    "private_key": "passed", "team_id": "passed", "key_id": "passed", "services_id": "passed", "signature": "passed",
                    "token_endpoint": "passed", "clock": "passed",
                ])
            #expect(answer.keyStates == ["current \(apple.keyID)"])
            let publicHalf = try P256.Signing.PrivateKey(pemRepresentation: apple.pem).publicKey.derRepresentation
            #expect(
                answer.appleKeys[0]["fingerprint"] as? String == SHA256.hash(data: publicHalf).map { String(format: "%02x", $0) }.joined())
            #expect(answer.appleKeys[0]["proven_at"] != nil)

            let shown = try await platform.call("GET", "\(path)/\(answer.resourceID)")
            #expect(NSDictionary(dictionary: shown.json) == NSDictionary(dictionary: answer.json))
            #expect(shown.version == answer.version)

            // The private key exists only in sealed form.
            let line = String(apple.pem.split(separator: "\n")[1])
            #expect(!answer.body.contains(line))
            let stored = try await platform.ownerPool.run("SELECT sealed_pem FROM apple_key WHERE key_id = \(apple.keyID)")
                .first { try $0.get("sealed_pem", as: [UInt8].self) }
            #expect(Data(stored ?? []).range(of: Data("PRIVATE".utf8)) == nil)
            let events = try await platform.auditTrail(of: "createConnection")
            #expect(events.map(\.actor) == [platform.acme.api_keys[0].id])
            #expect(events.map(\.subject) == [answer.resourceID])
            #expect(events[0].text.contains(apple.keyID) && !events[0].text.contains(line))
        }
    }

    @Test("a file that is not an Apple key is refused with its kind")
    func wrongPEM() async throws {
        try await TestPlatform.run { platform in
            let apple = try await AppleTeam.make(platform)
            let files = [
                (WrongPEM.encrypted, "encrypted"), (try WrongPEM.rsa, "RSA"), (WrongPEM.p384, "P-256"), (WrongPEM.publicKey, "public key"),
                (WrongPEM.certificate, "certificate"), ("hello", "not a PEM"), (String(apple.pem.prefix(100)), "damaged"),
            ]
            for (pem, word) in files {
                let answer = try await platform.call("POST", path, apple.body(["private_key": pem]))
                #expect(answer.status == 400)
                #expect(answer.problem == "invalid")
                #expect(answer.refusalsByField["private_key"]?.contains(word) == true, "\(answer.refusalsByField)")
                #expect(answer.refusalsByField.count == 1)
                #expect(pem.count < 20 || !answer.body.contains(pem.split(separator: "\n")[1]))
            }
            #expect(try await platform.call("GET", path).elements.count == 1)
        }
    }

    @Test("identifiers in a wrong form or in one another's field are named")
    func wrongForm() async throws {
        try await TestPlatform.run { platform in
            let apple = try await AppleTeam.make(platform)
            let cases: [([String: any Sendable], String, String)] = [
                (["team_id": apple.servicesID, "services_id": apple.team], "team_id", "swapped"),
                (["team_id": apple.servicesID, "services_id": apple.team], "services_id", "form of a Team ID"),
                (["team_id": apple.servicesID], "team_id", "form of a Services ID"),
                (["team_id": apple.team.lowercased()], "team_id", "capitals"), (["team_id": "A"], "team_id", "ten capital letters"),
                (["team_id": apple.keyID], "team_id", "Team ID and Key ID are the same"),
                (["key_id": apple.team], "key_id", "Key ID and Team ID are the same"),
                (["key_id": "AuthKey_\(apple.keyID).p8"], "key_id", "part of the key's file name"),
                (["services_id": "example"], "services_id", "reverse domain"), (["bundle_ids": ["x"]], "bundle_ids[0]", "reverse domain"),
                (["bundle_ids": ["a.b", "a.b"]], "bundle_ids[1]", "twice"), (["email_sources": ["@x.y"]], "email_sources[0]", "domain"),
                (["team": "x"], "team", "unknown"), (["private_key": NSNull()], "private_key", "required"),
            ]
            for (change, field, word) in cases {
                let answer = try await platform.call("POST", path, apple.body(change))
                #expect(answer.status == 400)
                #expect(answer.refusalsByField[field]?.contains(word) == true, "\(field): \(answer.refusalsByField)")
            }
        }
    }

    @Test("credentials that Apple refuses are stored with the likely cause, and do not sign")
    func refusedAtApple() async throws {
        try await TestPlatform.run { platform in
            let apple = try await AppleTeam.make(platform)
            let other = try await AppleTeam.make(platform)
            for change in [["private_key": other.pem], ["services_id": other.servicesID], ["services_id": "com.example.unknown"]] {
                let answer = try await platform.call("POST", path, apple.body(change))
                #expect(answer.status == 201)
                #expect(answer.checkOutcome == "failed")
                #expect(answer.stepOutcomes["token_endpoint"] == "failed")
                #expect(answer.stepDetails["token_endpoint"]?.contains("without a reason") == true)
                #expect(answer.stepOutcomes["team_id"] == "passed")
                #expect(answer.keyStates == ["next \(apple.keyID)"])
                #expect(answer.appleKeys[0]["proven_at"] == nil)
            }
        }
    }

    @Test("swapped Team ID and Key ID are found at Apple")
    func swapped() async throws {
        try await TestPlatform.run { platform in
            let apple = try await AppleTeam.make(platform)
            let answer = try await platform.call("POST", path, apple.body(["team_id": apple.keyID, "key_id": apple.team]))
            #expect(answer.status == 201)
            #expect(
                answer.stepOutcomes["team_id"] == "failed" && answer.stepOutcomes["key_id"] == "failed"
                    && answer.stepOutcomes["token_endpoint"] == "failed")
            #expect(answer.stepDetails["token_endpoint"]?.contains("Team ID \(apple.team) and Key ID \(apple.keyID)") == true)
            #expect(answer.stepDetails["team_id"]?.contains("This is the Key ID") == true)
        }
    }

    @Test("a plan without own credentials, another tenant, a missing scope and too many connections are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let apple = try await AppleTeam.make(platform)
            let lapsed = try await platform.call(
                "POST", "/tenants/globex/connections", key: platform.globex.api_keys[0].secret, apple.body())
            #expect(lapsed.status == 403)
            #expect(lapsed.problem == "plan_required")
            #expect(lapsed.reason.contains("`enterprise`") && lapsed.reason.contains("`free`"))
            #expect(try await platform.call("POST", path, key: platform.globex.api_keys[0].secret, apple.body()).status == 404)
            #expect(try await platform.call("POST", path, key: platform.acme.api_keys[1].secret, apple.body()).status == 403)
            for _ in 1..<10 { #expect(try await platform.call("POST", path, apple.body()).status == 201) }
            let eleventh = try await platform.call("POST", path, apple.body())
            #expect(eleventh.status == 409)
            #expect(eleventh.problem == "conflict")
        }
    }
}
