import Access
@testable import Accounts
import Apple
import AsyncHTTPClient
import Foundation
import Logging
import Postgres
import Sealing
import Server
import Tenancy
import TestSupport
import Testing
@testable import Users

/// A deleted user's consent ends at Apple, despite failures.
@Suite("Revoke at Apple")
struct RevokeAtAppleTests {
    @Test("if Apple is slow, down or sends invalid data, retries continue until Apple confirms, and the token is deleted")
    func retried() async throws {
        try await withRestingOutbox { platform in
            let login = try await platform.login("Grace Hopper")
            try await platform.delete(login)
            let faults: [[String: any Sendable]] = [
                ["fault": "status", "status": 500], ["fault": "status", "status": 429], ["fault": "drop"],
                ["fault": "error", "error": "invalid_request"], ["fault": "slow", "milliseconds": 30_000],
                ["fault": "status", "status": 503], ["fault": "status", "status": 502], ["fault": "status", "status": 500],
            ]
            for (number, fault) in faults.enumerated() {
                let details: [String: any Sendable] = ["endpoint": "revoke", "client_id": platform.own.servicesID, "times": 1]
                try await platform.simulator.fault(details.merging(fault) { $1 })
                // This is longer than Espalier waits.
                let isSlow = fault["fault"] as? String == "slow"
                let handler = platform.revokeAtApple(timeout: isSlow ? .milliseconds(200) : nil)
                #expect(try await platform.runRevocations(by: handler.handle) == 1)
                let reason = fault["error"] == nil ? "apple_unavailable" : "refused"
                #expect(try await platform.fate(of: login) == ["pending \(reason) \(number + 1)"])
                let pause = RevokeAtApple.schedule[min(number, RevokeAtApple.schedule.count - 1)]
                try await platform.pass(pause * 0.85)
                #expect(try await platform.runRevocations() == 0)
                try await platform.pass(pause * 0.3)
            }
            let pending = try await platform.record(of: login)
            #expect(pending["status"] as? String == "pending")
            #expect(pending["finished_at"] == nil)
            #expect(try await platform.consents("Grace Hopper", to: platform.own.team))

            let now = Date()
            #expect(try await platform.runRevocations(at: now) == 1)
            let record = try await platform.record(of: login)
            #expect(record["status"] as? String == "finished")
            #expect(record["finished_at"] as? String == now.formatted(.iso8601))
            let grant = try #require((record["apple"] as? [[String: any Sendable]])?.first)
            #expect(grant["revoked_at"] as? String == now.formatted(.iso8601))
            #expect(grant["attempts"] as? Int == faults.count + 1)
            #expect(grant["reason"] == nil)
            #expect(try await !platform.consents("Grace Hopper", to: platform.own.team))
            try await platform.pass(10 * 86400)
            #expect(try await platform.runRevocations() == 0)
            #expect(try await platform.count("apple_revocation", where: "sealed_grant IS NOT NULL") == 0)
            #expect(try await platform.count("outbox") == 0)
        }
    }

    @Test("while Apple refuses every key, it is retried daily and the record shows this; with a repaired key it succeeds")
    func keysRepaired() async throws {
        try await withRestingOutbox { platform in
            let login = try await platform.login("Grace Hopper")
            try await platform.delete(login)
            try await platform.simulator.revokeKey(platform.own.keyID)
            // This is longer than the wait for a deleted connection.
            for day in 1...40 {
                #expect(try await platform.runRevocations() == 1)
                #expect(try await platform.fate(of: login) == ["pending credentials_refused \(day)"])
                try await platform.pass(86400 * 1.15)
            }
            try await promote(platform)
            #expect(try await platform.runRevocations() == 1)
            #expect(try await platform.fate(of: login) == ["revoked 41"])
            #expect(try await !platform.consents("Grace Hopper", to: platform.own.team))
        }
    }

    @Test(
        "if the key changed in the meantime, the current key signs, and the previous one if Apple refuses it",
        arguments: [false, true])
    func keyRotated(refused: Bool) async throws {
        try await withRestingOutbox { platform in
            let login = try await platform.login("Grace Hopper")
            try await platform.delete(login)
            let new = try await promote(platform)
            try await platform.simulator.revokeKey(refused ? new : platform.own.keyID)
            try await platform.runRevocations()
            #expect(try await platform.fate(of: login) == ["revoked 1"])
            #expect(try await !platform.consents("Grace Hopper", to: platform.own.team))
        }
    }

    @Test("it waits for a deleted connection and uses a restored one; after 30 days it is impossible")
    func connectionGone() async throws {
        try await withRestingOutbox { platform in
            let (grace, alan) = (try await platform.login("Grace Hopper"), try await platform.login("Alan Turing"))
            try await platform.delete(grace)
            let connection = try await platform.acmeConnection
            try await platform.moveToShared(["existing_users": "new_users"])
            #expect(try await platform.change("DELETE", connection, of: connection).status == 204)
            #expect(try await platform.runRevocations() == 1)
            #expect(try await platform.fate(of: grace) == ["pending no_credentials 0"])

            let key = try await platform.simulator.makeKey(of: platform.own.team)
            let created = try await platform.call(
                "POST", "/tenants/acme/connections",
                ["team_id": platform.own.team, "services_id": platform.own.servicesID, "key_id": key.id, "private_key": key.pem])
            #expect(created.status == 201, "\(created.body)")
            try await platform.pass(86400)
            #expect(try await platform.runRevocations() == 1)
            #expect(try await platform.fate(of: grace) == ["revoked 1"])

            try await platform.delete(alan)
            let again = try await platform.acmeConnection
            #expect(try await platform.change("DELETE", again, of: again).status == 204)
            for _ in 0..<26 {
                #expect(try await platform.runRevocations() == 1)
                #expect(try await platform.fate(of: alan) == ["pending no_credentials 0"])
                try await platform.pass(86400 * 1.15)
            }
            try await platform.pass(86400)
            #expect(try await platform.runRevocations() == 1)
            #expect(try await platform.fate(of: alan) == ["impossible no_credentials 0"])
            #expect(try await platform.record(of: alan)["status"] as? String == "finished")
            #expect(try await platform.count("apple_revocation", where: "sealed_grant IS NOT NULL") == 0)
            #expect(try await platform.count("outbox") == 0)
        }
    }

    @Test("a native application's token is revoked with its bundle ID")
    func native() async throws {
        try await withRestingOutbox { platform in
            let login = try await platform.login("Grace Hopper")
            let bundleID = "com.example.native.\(platform.own.team.lowercased())"
            try await platform.simulator.send(.PUT, "/simulator/teams/\(platform.own.team)", ["bundle_ids": [bundleID]])
            let connection = try await platform.acmeConnection
            let changed = try await platform.change("PATCH", connection, of: connection, ["bundle_ids": [bundleID]])
            #expect(changed.status == 200, "\(changed.body)")
            try await obtainNatively(bundleID, login, platform)
            try await platform.delete(login)
            try await platform.runRevocations()
            #expect(try await platform.fate(of: login) == ["revoked 1"])
            let grant = (try await platform.record(of: login)["apple"] as? [[String: any Sendable]])?.first
            #expect(grant?["client_id"] as? String == bundleID)
            #expect(try await !platform.consents("Grace Hopper", to: platform.own.team))
        }
    }

    @Test("an ended consent needs no revocation; without a readable refresh token it is impossible")
    func nothingToRevoke() async throws {
        try await withRestingOutbox { platform in
            let logins = [
                try await platform.login("Grace Hopper"), try await platform.login("Alan Turing"), try await platform.login("Ada Lovelace"),
            ]
            let users = logins.map { ID<User>($0.user)! }
            _ = try await platform.ownerPool.run([
                "UPDATE identity SET sealed_refresh_token = NULL, revoked_at = now() WHERE user_id = \(users[0])",
                "UPDATE identity SET sealed_refresh_token = NULL WHERE user_id = \(users[1])",
                "UPDATE identity SET sealed_refresh_token = '\\x01' WHERE user_id = \(users[2])",
            ])
            let fates = ["not_needed consent_ended 0", "impossible no_refresh_token 0", "impossible token_unreadable 0"]
            for (login, fate) in zip(logins, fates) {
                try await platform.delete(login)
                #expect(try await platform.fate(of: login) == [fate])
                let record = try await platform.record(of: login)
                #expect(record["status"] as? String == "finished")
                #expect(record["finished_at"] as? String == record["requested_at"] as? String)
            }
            #expect(try await platform.count("outbox") == 0)
        }
    }

    @Test("if two teams know the user, each grant is revoked with its own token, and the last one finishes the record")
    func twoTeams() async throws {
        try await withRestingOutbox { platform in
            let own = try await platform.login("Grace Hopper")
            try await platform.moveToShared(["existing_users": "new_users"])
            let shared = try await platform.login("Grace Hopper")
            _ = try await platform.ownerPool.run(
                "UPDATE identity SET user_id = \(ID<User>(own.user)) WHERE user_id = \(ID<User>(shared.user))")
            try await platform.simulator.fault([
                "endpoint": "revoke", "client_id": platform.shared.servicesID, "fault": "status", "status": 500, "times": 1,
            ])
            try await platform.delete(own)
            #expect(try await platform.runRevocations() == 2)
            #expect(Set(try await platform.fate(of: own)) == ["revoked 1", "pending apple_unavailable 1"])
            #expect(try await platform.record(of: own)["status"] as? String == "pending")
            try await platform.pass(86400)
            #expect(try await platform.runRevocations() == 1)
            #expect(Set(try await platform.fate(of: own)) == ["revoked 1", "revoked 2"])
            #expect(try await platform.record(of: own)["status"] as? String == "finished")
            for team in [platform.own.team, platform.shared.team] { #expect(try await !platform.consents("Grace Hopper", to: team)) }
        }
    }

    @Test("the record, the audit trail and the log at its lowest level contain neither the token nor the person's identity")
    func secrecy() async throws {
        try await withRestingOutbox { platform in
            let login = try await platform.login("Grace Hopper")
            let identity = try await platform.ownerPool.run("SELECT apple_sub, sealed_refresh_token FROM identity")
                .first { (try $0.get("apple_sub", as: String.self), try $0.get("sealed_refresh_token", as: [UInt8].self)) }
            let (subject, sealed) = try #require(identity)
            let context = Identity.context(ID(platform.acme.id)!, team: platform.own.team, subject: subject)
            let token = String(decoding: try platform.settings.keyring.open(Sealed(bytes: sealed), in: context), as: UTF8.self)
            let log = RecordedLog()
            let handler = platform.revokeAtApple(logger: log.logger)
            try await platform.delete(login)
            var texts: [String] = []
            for fault in ["drop", "error", "error", nil] as [String?] {
                if let fault {
                    var fields: [String: any Sendable] = [
                        "endpoint": "revoke", "client_id": platform.own.servicesID, "fault": fault, "times": 1,
                    ]
                    if fault == "error" { fields["error"] = "invalid_request" }
                    try await platform.simulator.fault(fields)
                }
                try await platform.runRevocations(by: handler.handle)
                texts.append(try await platform.call("GET", "/tenants/acme/user-deletions").body)
                for table in ["user_deletion", "apple_revocation", "audit_event", "outbox"] {
                    texts += try await platform.ownerPool.run(SQL(unsafe: "SELECT t::text AS text FROM \(table) AS t"))
                        .map { try $0.get("text") }
                }
                try await platform.pass(86400)
            }
            #expect(try await platform.fate(of: login) == ["revoked 4"])
            texts.append(log.text)
            #expect(log.text.contains("does not revoke"))
            for text in texts {
                for secret in [token, subject, "Hopper", "grace-hopper@example.com"] { #expect(!text.contains(secret)) }
            }
        }
    }
}

// MARK: Changes at Apple

extension RevokeAtAppleTests {
    /// Promotes a new key of Acme. The old one stays valid for the overlap.
    /// - Returns: the Key ID of the new key.
    @discardableResult
    private func promote(_ platform: TestPlatform) async throws -> String {
        let connection = try await platform.acmeConnection
        let key = try await platform.simulator.makeKey(of: platform.own.team)
        let added = try await platform.change(
            "POST", "\(connection)/apple-keys", of: connection, ["key_id": key.id, "private_key": key.pem])
        let promoted = try await platform.change(
            "POST", "\(connection)/apple-keys/\(added.resourceID)/promote", of: connection, ["overlap_seconds": 600])
        try #require(promoted.status == 200, "\(promoted.body)")
        return key.id
    }

    /// Simulates a sign-in with a native application that sent its code. Apple's refresh token then belongs to the bundle ID.
    private func obtainNatively(_ bundleID: String, _ login: TestPlatform.LoggedIn, _ platform: TestPlatform) async throws {
        let answer = try await platform.simulator.send(
            .POST, "/simulator/native-authorizations", ["client_id": bundleID, "person": "Grace Hopper"])
        let authorized = try JSONSerialization.jsonObject(with: answer) as? [String: any Sendable]
        let code = try #require(authorized?["authorization_code"] as? String)
        let subject = try #require(authorized?["user"] as? String)
        let tenant = try #require(ID<Tenant>(platform.acme.id))
        let credentials = try await AppleClientCredentials.all(
            teamID: platform.own.team, clientID: bundleID, in: OwnerDatabase(platform.pool, tenant: tenant),
            keyring: platform.settings.keyring, at: Date())
        let apple = AppleClient(platform.settings.apple, http: .forApple, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let tokens = try await apple.redeem(code: code, redirectURI: nil, credentials: try #require(credentials.first), at: Date())
        let sealed = platform.settings.keyring.seal(
            Array(try #require(tokens.refreshToken).utf8), in: Identity.context(tenant, team: platform.own.team, subject: subject))
        _ = try await platform.ownerPool.run(
            """
            UPDATE identity SET apple_client_id = \(bundleID), sealed_refresh_token = \(sealed.bytes)
            WHERE user_id = \(ID<User>(login.user))
            """)
    }
}
