import Foundation
import Server
import TestSupport
import Testing

/// The administrator's command against a real server. It is a package of its own, which `script/test` builds first.
@Suite("espalierctl", .enabled(if: FileManager.default.isExecutableFile(atPath: Program.espalierctl.path(percentEncoded: false))))
struct EspalierctlTests {
    @Test("it shows a tenant and counts its logins, and a stranger's key gets neither")
    func tenantAndUsage() async throws {
        let platform = try await ServedPlatform.make()
        let place = ServedPlatform.Place()
        let server = try await platform.serve(at: place)
        _ = try await place.browser.tokens(.init(platform.acme))

        func run(_ arguments: [String], as key: String) async throws -> Program.Exit {
            try await Program.run(
                arguments, of: Program.espalierctl, environment: ["ESPALIER_BASE_URL": place.address, "ESPALIER_API_KEY": key])
        }
        let key = platform.acme.api_keys[0].secret
        let usage = try await run(["usage", "show", "--tenant", "acme", "--json"], as: key)
        #expect(usage.code == 0, "\(usage.errors)")
        let counted = try #require(try JSONSerialization.jsonObject(with: Data(usage.output.utf8)) as? [String: Any])
        #expect(counted["logins"] as? Int == 1)
        #expect(counted["tenant_id"] as? String == platform.acme.id)

        let tenant = try await run(["tenants", "show", "acme", "--json"], as: key)
        #expect(tenant.code == 0, "\(tenant.errors)")
        let shown = try #require(try JSONSerialization.jsonObject(with: Data(tenant.output.utf8)) as? [String: Any])
        #expect(shown["id"] as? String == platform.acme.id)

        #expect(try await run(["tenants", "show", "acme"], as: platform.globex.api_keys[0].secret).code == 1)
        let unknown = String(key.dropLast(6)) + "000000"
        #expect(try await run(["tenants", "show", "acme"], as: unknown).code != 0)
        server.signal(SIGTERM)
        #expect(try await server.exit().code == 0)
    }
}
