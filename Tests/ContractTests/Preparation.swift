import Access
import Foundation
import People
import Postgres
import Server
import TestSupport

/// The IDs and members that an operation's example needs on its prepared platform.
struct Preparation: Sendable {
    /// IDs by their names in the path.
    var path: [String: String] = [:]
    /// Members of the body that replace those of the example.
    var body: [String: any Sendable] = [:]
    /// The secret of the caller. Nil for the operator's key.
    var caller: String?

    /// Operations that need more than `Things`, or that end what other operations need. Each has a platform of its own.
    static let all: [String: @Sendable (TestPlatform, Things) async throws -> Preparation] = [
        "createTenant": { _, _ in Preparation(body: ["slug": "initech"]) },
        "addAppleKey": { platform, _ in
            let key = try await platform.simulator.makeKey(of: platform.own.team)
            return Preparation(body: ["key_id": key.id, "private_key": key.pem])
        },
        "addPlatformAppleKey": { platform, _ in
            let key = try await platform.simulator.makeKey(of: platform.shared.team)
            return Preparation(body: ["key_id": key.id, "private_key": key.pem])
        },
        "promoteAppleKey": { platform, _ in try await nextKey(platform, of: platform.acmeConnection, platform.own) },
        "promotePlatformAppleKey": { platform, _ in try await nextKey(platform, of: "/platform/connection", platform.shared) },
        "retirePlatformAppleKey": { platform, _ in try await nextKey(platform, of: "/platform/connection", platform.shared) },
        "createPlatformConnection": { platform, _ in
            try await freePlatformConnection(platform)
            let deleted = try await platform.change("DELETE", "/platform/connection", of: "/platform/connection")
            return try await prepared(deleted, Preparation(body: AppleTeam.make(platform).body()))
        },
        "deletePlatformConnection": { platform, _ in
            try await freePlatformConnection(platform)
            return Preparation()
        },
        "createTransfer": { platform, _ in
            // `Things` has a transfer to the example's team.
            Preparation(body: ["connection_id": try await platform.ownConnection(), "to_team_id": "Y9Y8X7W6V5"])
        },
        "exchangeTransfer": { platform, _ in try await collectedTransfer(platform) },
        "createUsageSink": { platform, _ in try await prepared(platform.call("DELETE", "/platform/usage-sink"), Preparation()) },
        "addIdentity": { platform, _ in Preparation(body: ["team_id": platform.own.team]) },
        // An identity is removed only if the user can sign in with another one.
        "removeIdentity": { platform, things in
            let added = try await platform.call(
                "POST", "/tenants/acme/users/\(things.user)/identities", ["team_id": platform.own.team, "subject": "001"])
            _ = try await platform.ownerPool.run("UPDATE identity SET is_asserted = false")
            return try prepared(added, Preparation())
        },
        // The account has the memberships of other operations.
        "deletePerson": { _, _ in Preparation() },
        // The end of a user's sessions ends consents, too.
        "revokeConsent": { _, _ in Preparation() },
        // Only a person has a support access.
        "startSupportAccess": { platform, _ in
            let people = PeopleCallers(platform)
            return Preparation(caller: try await people.member("Grace", as: .builtIn(.platformOperator), of: .platform).secret)
        },
        "replayWebhookDelivery": { platform, things in try await enabledWebhook(platform, things) },
        "testWebhook": { platform, things in try await enabledWebhook(platform, things) },
    ]

    /// Returns the example. The members of `body` replace those of the same name.
    func fill(_ example: String) throws -> String {
        guard var object = try JSONSerialization.jsonObject(with: Data(example.utf8)) as? [String: Any] else { return example }
        for (name, value) in body where object[name] != nil { object[name] = value }
        return String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
    }

    /// Returns the preparation if its last step succeeded.
    private static func prepared(_ step: TestBrowser.Answer, _ preparation: Preparation) throws -> Preparation {
        guard (200..<300).contains(step.status) else {
            throw TestSimulator.Refused(description: "not prepared: \(step.status) \(step.body)")
        }
        return preparation
    }

    /// A key that Apple accepts, and that is not in use yet.
    private static func nextKey(
        _ platform: TestPlatform, of connection: String, _ side: TestPlatform.AppleSide
    ) async throws -> Preparation {
        let key = try await platform.simulator.makeKey(of: side.team)
        let added = try await platform.change(
            "POST", "\(connection)/apple-keys", of: connection, ["key_id": key.id, "private_key": key.pem])
        return try prepared(added, Preparation(path: ["appleKey": added.resourceID]))
    }

    /// Ends the only tenant that uses the shared connection.
    private static func freePlatformConnection(_ platform: TestPlatform) async throws {
        _ = try await platform.ownerPool.run("UPDATE tenant SET status = 'purged' WHERE slug = 'globex'")
    }

    /// A transfer with a collected user, after Apple has transferred the app.
    private static func collectedTransfer(_ platform: TestPlatform) async throws -> Preparation {
        let receiver = try await AppleTeam.make(platform)
        let created = try await platform.call(
            "POST", "/tenants/acme/transfers", ["connection_id": try await platform.ownConnection(), "to_team_id": receiver.team])
        _ = try prepared(created, Preparation())
        let path = "/tenants/acme/transfers/\(created.resourceID)"
        _ = try prepared(try await platform.call("POST", "\(path)/collect"), Preparation())
        try await platform.simulator.send(
            .POST, "/simulator/transfers", ["client_id": platform.own.servicesID, "team": receiver.team])
        let connection = try await platform.call(
            "POST", "/tenants/acme/connections", receiver.body(["services_id": platform.own.servicesID]))
        return try prepared(connection, Preparation(path: ["transfer": created.resourceID]))
    }

    private static func enabledWebhook(_ platform: TestPlatform, _ things: Things) async throws -> Preparation {
        try prepared(
            try await platform.call("PATCH", "/tenants/acme/webhooks/\(things.webhook)", ["status": "enabled"]), Preparation())
    }
}
