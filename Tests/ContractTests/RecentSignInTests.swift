import Access
import Foundation
import People
import Server
import TestSupport
import Testing

/// Changes to keys, members, deletion and money need a recent sign-in of a person. The spec marks them.
@Suite("Recent sign-in")
struct RecentSignInTests {
    @Test("each marked operation refuses a sign-in of 11 minutes and accepts one of 9; no other operation asks for one")
    func ages() async throws {
        let specification = try Specification()
        try await TestPlatform.run { platform in
            let (things, people) = (try await Things(platform), PeopleCallers(platform))
            let acme = try #require(ID<Tenant>(platform.acme.id)).uuid
            var secrets: [(age: TimeInterval, owner: String, platformOperator: String)] = []
            for age in [660, 540] as [TimeInterval] {
                secrets.append(
                    (
                        age, try await people.member("Ada", as: .builtIn(.owner), of: acme, age: age).secret,
                        try await people.member("Grace", as: .builtIn(.platformOperator), of: .platform, age: age).secret
                    ))
            }
            // The ends of the tenant come last, because the accepted call takes effect.
            let ends = ["suspendTenant", "deleteTenant"]
            let operations = specification.operations.filter { $0.scopes != nil && $0.method != "GET" }
                .sorted { (ends.firstIndex(of: $0.id) ?? -1) < (ends.firstIndex(of: $1.id) ?? -1) }
            for operation in operations {
                for (age, owner, platformOperator) in secrets {
                    // Without a body, a permitted request changes nothing either. A marked operation without one names a missing object.
                    let path = things.path(operation, real: false)
                    let secret = operation.isForOperators ? platformOperator : owner
                    let answer = try await TestBrowser(platform).send(
                        operation.method, TestPlatform.publicURL + path,
                        headers: [("Authorization", "Bearer \(secret)"), ("Content-Type", "application/json")], body: "{")
                    let isRefused = answer.json["code"] as? String == "recent_sign_in_required"
                    #expect(isRefused == (operation.needsRecentSignIn && age > 600), "\(operation) after \(age) s: \(answer.body)")
                    guard isRefused else { continue }
                    #expect(answer.status == 403)
                    #expect(answer.header("WWW-Authenticate")?.contains("insufficient_user_authentication") == true)
                    #expect(specification.violations(answer, of: operation) == [], "\(operation)")
                }
            }
        }
    }

    /// Further changes that open a way in, reveal a secret, send data elsewhere or cost money.
    private static let others: Set = [
        "suspendTenant", "updateTenant", "createTransfer", "issueInitialAccessToken", "rollApplicationSecret", "createWebhook",
        "updateWebhook", "rollWebhookSecret", "createConnection", "updateConnection", "addAppleKey", "promoteAppleKey", "retireAppleKey",
        "createPlatformConnection", "updatePlatformConnection", "addPlatformAppleKey", "promotePlatformAppleKey", "retirePlatformAppleKey",
        "setSSO", "createSSODomain", "verifySSODomain", "registerApplication", "updateApplication", "addIdentity", "createDomain",
        "activateConnection", "activateSharedConnection",
    ]

    @Test("exactly the deletions, the changes with the scopes of keys, members and money, and the listed changes have the mark")
    func marks() throws {
        let scopes: Set = ["api_keys:write", "members:write", "signing_keys:write", "usage:write", "pricing:write"]
        for operation in try Specification().operations {
            guard let own = operation.scopes else { continue }
            let isCareful = operation.method == "DELETE" || !scopes.isDisjoint(with: own) || Self.others.contains(operation.id)
            // The emergency brake of an owner.
            let isBrake = operation.id == "endSupportAccess"
            #expect(operation.needsRecentSignIn == (isCareful && !isBrake), "\(operation)")
        }
    }
}
