import Foundation
import Server
import TestSupport
import Testing

@Suite("Mushu notification")
struct MushuNotificationTests {
    @Test("a notification that Apple signed for the tenant is stored once, and the response has a body")
    func stored() async throws {
        try await TestPlatform.run { platform in
            let client = try await MushuClient.make(platform, [:])
            let signed = try await sign(platform.own.servicesID, platform)
            for _ in 0..<2 {
                let answer = try await client.post("auth/apple/notifications?app_id=\(client.application.client_id)", text: signed)
                #expect(answer.status == 200, "\(answer.body)")
                #expect(answer.string("status") == "ok")
            }
            #expect(try await platform.count("apple_notification") == 1)
        }
    }

    @Test("a forged notification and one of another tenant are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let client = try await MushuClient.make(platform, [:])
            let other = try await sign(platform.shared.servicesID, platform)
            for body in [other, #"{"payload": "a.b.c"}"#, "{}", "x"] {
                #expect(try await client.post("auth/apple/notifications", text: body).invalidParts == ["body: value_error"])
            }
            #expect(try await platform.count("apple_notification") == 0)
        }
    }

    private func sign(_ audience: String, _ platform: TestPlatform) async throws -> String {
        let now = Int(Date().timeIntervalSince1970)
        let event = #"{"type": "email-disabled", "sub": "000123.0123.0456", "event_time": \#(now * 1000)}"#
        let signed = try await platform.simulator.send(
            .POST, "/simulator/notifications/sign",
            ["iss": "https://appleid.apple.com", "aud": audience, "iat": now, "jti": UUID().uuidString, "events": event])
        return String(decoding: signed, as: UTF8.self)
    }
}
