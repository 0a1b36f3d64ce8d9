import Foundation
import Postgres
import Server
import TestSupport
import Testing

extension TestPlatform {
    /// Registers an application at Acme and returns its reply. The members change or add to the defaults, and nil removes one.
    func registered(
        _ kind: String, _ changes: [String: any Sendable] = [:], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [String: any Sendable] {
        var body: [String: any Sendable] = ["name": "Shop", "kind": kind]
        if kind != "machine" { body["redirect_uris"] = ["https://shop.example/callback"] }
        let answer = try await call("POST", "/tenants/acme/applications", body.merging(changes) { $1 })
        #expect(answer.status == 201, "\(answer.body)", sourceLocation: sourceLocation)
        return answer.json
    }

    /// The actions in the audit trail of an application, with the states before and after.
    func applicationTrail(_ id: Any?) async throws -> [(
        action: String, actor: String, before: [String: any Sendable]?, after: [String: any Sendable]?
    )] {
        func object(_ json: JSON?) throws -> [String: any Sendable]? {
            try json.flatMap { try JSONSerialization.jsonObject(with: Data($0.bytes)) as? [String: any Sendable] }
        }
        return try await ownerPool.run(
            "SELECT action, actor, before, after FROM audit_event WHERE subject = \(id as? String) ORDER BY sequence"
        ).map { row in
            (try row.get("action"), try row.get("actor"), try object(try row.get("before")), try object(try row.get("after")))
        }
    }
}

extension TestBrowser.Answer {
    var code: String? { json["code"] as? String }
}
