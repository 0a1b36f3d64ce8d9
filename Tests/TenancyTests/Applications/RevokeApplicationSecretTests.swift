import Foundation
import Postgres
import Server
import TestSupport
import Testing

@Suite("Revoke application secret")
struct RevokeApplicationSecretTests {
    private static func ids(_ platform: TestPlatform, _ path: String) async throws -> [String] {
        try await (platform.call("GET", path).json["data"] as? [[String: any Sendable]] ?? []).compactMap { $0["id"] as? String }
    }

    @Test("either of two secrets can be revoked, the last one cannot")
    func either() async throws {
        try await TestPlatform.run { platform in
            for newest in [true, false] {
                let made = try await platform.registered("web")
                let path = "/tenants/acme/applications/\(made["id"] as! String)/secrets"
                let old = try #require(try await Self.ids(platform, path).first)
                let new = try #require(try await platform.call("POST", "\(path)/roll").json["id"] as? String)
                let (revoked, remaining) = newest ? (new, old) : (old, new)
                let answer = try await platform.call("DELETE", "\(path)/\(revoked)", key: platform.acme.api_keys[0].secret)
                #expect(answer.status == 204)
                #expect(try await Self.ids(platform, path) == [remaining])
                #expect(try await platform.call("DELETE", "\(path)/\(revoked)").status == 404)
                let last = try await platform.call("DELETE", "\(path)/\(remaining)")
                #expect(last.status == 409)
                #expect(last.code == "conflict")
                let trail = try await platform.applicationTrail(made["id"])
                #expect(trail.map(\.action).last == "revokeApplicationSecret")
                #expect((trail.last?.before?["secrets"] as? [[String: any Sendable]])?.count == 2)
                #expect((trail.last?.after?["secrets"] as? [[String: any Sendable]])?.compactMap { $0["id"] as? String } == [remaining])
            }
        }
    }

    @Test("one of two concurrent revocations of both secrets is refused")
    func racing() async throws {
        try await TestPlatform.run { platform in
            let made = try await platform.registered("web")
            let path = "/tenants/acme/applications/\(made["id"] as! String)/secrets"
            _ = try await platform.call("POST", "\(path)/roll")
            let ids = try await Self.ids(platform, path)
            #expect(ids.count == 2)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { tasks in
                for id in ids { tasks.addTask { try await platform.call("DELETE", "\(path)/\(id)").status } }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [204, 409])
        }
    }

    @Test("another application's secret, another tenant's, and a missing scope are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let made = try await platform.registered("web")
            let path = "/tenants/acme/applications/\(made["id"] as! String)/secrets"
            _ = try await platform.call("POST", "\(path)/roll")
            let id = try #require(try await Self.ids(platform, path).first)
            let others = "/tenants/acme/applications/\(platform.acme.applications[0].client_id)/secrets"
            for path in ["\(others)/\(id)", "\(path)/secret_00000000000000000000000000", "\(path)/x"] {
                #expect(try await platform.call("DELETE", path).status == 404)
            }
            #expect(try await platform.call("DELETE", "\(path)/\(id)", key: platform.globex.api_keys[0].secret).status == 404)
            #expect(try await platform.call("DELETE", "\(path)/\(id)", key: platform.acme.api_keys[1].secret).code == "insufficient_scope")
            #expect(try await Self.ids(platform, path).count == 2)
        }
    }
}
