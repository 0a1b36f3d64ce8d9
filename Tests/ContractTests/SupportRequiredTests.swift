import Access
import Foundation
import People
import Server
import TestSupport
import Testing

/// An operator who is a person acts on the data of a tenant only during a support access.
@Suite("Support required")
struct SupportRequiredTests {
    @Test("without a support access, exactly the operations of a tenant's data refuse an operator; during one, what outlasts it is refused")
    func operations() async throws {
        let specification = try Specification()
        try await TestPlatform.run { platform in
            let (things, people) = (try await Things(platform), PeopleCallers(platform))
            let (_, _, without) = try await people.member("Grace", as: .builtIn(.platformOperator), of: .platform)
            let (_, _, during) = try await people.member("Katherine", as: .builtIn(.platformOperator), of: .platform)
            let reason: [String: any Sendable] = ["reason": "Ticket 4711: sign-ins fail.", "minutes": 60]
            let started = try await platform.call("POST", "/tenants/acme/support-accesses", key: during, reason)
            #expect(started.status == 201, "\(started.body)")
            func code(_ operation: Specification.Operation, _ secret: String) async throws -> String? {
                // Without a body, a permitted request changes nothing.
                let answer = try await TestBrowser(platform).send(
                    operation.method, TestPlatform.publicURL + things.path(operation, real: false),
                    headers: [("Authorization", "Bearer \(secret)"), ("Content-Type", "application/json")],
                    body: operation.method == "GET" ? nil : "{")
                #expect(specification.violations(answer, of: operation) == [], "\(operation)")
                return (answer.json["code"] as? String).flatMap { ["support_required", "insufficient_scope"].contains($0) ? $0 : nil }
            }
            // The end of the tenant would change the responses.
            let ends = ["suspendTenant", "deleteTenant"]
            for operation in specification.operations where operation.isForTenants && !ends.contains(operation.id) {
                guard let scopes = operation.scopes.map({ Set($0.compactMap(APIKey.Scope.init)) }) else { continue }
                let isManaging = scopes.isSubset(of: SupportAccess.scopesWithout)
                let outlasts =
                    !scopes.isDisjoint(with: [.apiKeysWrite, .applicationsWrite, .connectionsWrite, .webhooksWrite])
                    || operation.id == "addIdentity"
                // A support access would not help with what outlasts it.
                let refusal = outlasts ? "insufficient_scope" : "support_required"
                #expect(try await code(operation, without) == (isManaging ? nil : refusal), "\(operation)")
                #expect(try await code(operation, during) == (outlasts ? "insufficient_scope" : nil), "\(operation)")
            }
        }
    }
}
