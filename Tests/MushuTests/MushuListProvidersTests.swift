import Foundation
import Server
import TestSupport
import Testing

@Suite("Mushu list providers")
struct MushuListProvidersTests {
    @Test("a tenant's own connection is the one provider, without its key; a tenant on the shared connection has none")
    func list() async throws {
        try await TestPlatform.run { platform in
            let client = try await MushuClient.make(platform, [:])
            let listed = try await client.provider("GET", "")
            #expect(listed.status == 200, "\(listed.body)")
            let providers = listed.json["providers"] as? [[String: any Sendable]] ?? []
            #expect(providers.count == 1)
            #expect(providers.first?["app_id"] as? String == client.application.client_id)
            #expect(providers.first?["provider_type"] as? String == "apple")
            #expect(providers.first?["enabled"] as? Bool == true)
            #expect(providers.first?["is_configured"] as? Bool == true)
            #expect(providers.first?["apple_team_id"] as? String == platform.own.team)
            #expect(providers.first?["apple_key_id"] as? String == platform.own.keyID)
            #expect(providers.first?["apple_services_id"] as? String == platform.own.servicesID)
            #expect(!listed.body.contains("PRIVATE"))
            let shared = try await MushuClient.make(platform, tenant: 1, [:]).provider("GET", "")
            #expect(shared.body == #"{"providers":[]}"#)
        }
    }

    @Test("every operation needs a valid key of the tenant with the scope, and the application of the base URL")
    func callers() async throws {
        try await TestPlatform.run { platform in
            let client = try await MushuClient.make(platform, [:])
            let reads = try await platform.narrowKey("connections:read")
            let none = try await platform.narrowKey("tenants:read")
            let user = try await MushuClient.make(platform).tokens().access
            for (method, path, body, isRead) in [
                ("GET", "", nil, true), ("GET", "/apple", nil, true), ("POST", "", "{", false), ("PUT", "/apple", "{", false),
                ("DELETE", "/apple", nil, false),
            ] as [(String, String, String?, Bool)] {
                for key in ["", "x", user] {
                    #expect(try await client.provider(method, path, body, key: key).isRefusal(401), "\(method) \(path)")
                }
                let other = try await client.provider(method, path, body, key: platform.globex.api_keys[0].secret)
                #expect(other.isRefusal(404), "\(method) \(path): \(other.body)")
                #expect(try await client.provider(method, path, body, key: none).isRefusal(403), "\(method) \(path)")
                if !isRead { #expect(try await client.provider(method, path, body, key: reads).isRefusal(403), "\(method) \(path)") }
                let application = try await client.provider(method, path, body, of: platform.acme.applications[0].client_id)
                #expect(application.isRefusal(404), "\(method) \(path): \(application.body)")
                guard path == "/apple" else { continue }
                #expect(try await client.provider(method, "/google", body).isRefusal(404), "\(method)")
            }
            #expect(try await platform.count("connection", where: "tenant_id <> '00000000-0000-0000-0000-000000000000'") == 1)
        }
    }
}
