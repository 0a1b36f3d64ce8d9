import Access
import Foundation
import Postgres
import Server
@testable import SignIn
import Tenancy
@testable import Users

/// The team that receives Acme's app, at the Apple simulator.
package struct ReceivingTeam: Sendable {
    package let team, keyID, pem: String

    package static func make(_ platform: TestPlatform) async throws -> ReceivingTeam {
        let team = String((0..<10).map { _ in "ABCDEFGHJKLMNPQRSTUVWXYZ23456789".randomElement()! })
        try await platform.simulator.send(.PUT, "/simulator/teams/\(team)", [:])
        let key = try await platform.simulator.makeKey(of: team)
        return ReceivingTeam(team: team, keyID: key.id, pem: key.pem)
    }
}

extension TestPlatform {
    /// Creates the transfer of Acme's app.
    /// - Returns: its path, below `/v1`.
    package func createTransfer(to team: String) async throws -> String {
        let created = try await call("POST", "/tenants/acme/transfers", ["connection_id": try await ownConnection(), "to_team_id": team])
        guard created.status == 201 else { throw TestSimulator.Refused(description: "no transfer: \(created.status) \(created.body)") }
        return "/tenants/acme/transfers/\(created.resourceID)"
    }

    /// Apple transfers Acme's app. Acme gets a connection to the new team, which is activated.
    package func transferApp(to side: ReceivingTeam) async throws {
        try await simulator.send(.POST, "/simulator/transfers", ["client_id": own.servicesID, "team": side.team])
        let created = try await call(
            "POST", "/tenants/acme/connections",
            ["team_id": side.team, "services_id": own.servicesID, "key_id": side.keyID, "private_key": side.pem])
        let id = created.resourceID
        let activated = try await call("POST", "/tenants/acme/connections/\(id)/activate", ["existing_users": "new_users"])
        guard activated.status == 200 else {
            throw TestSimulator.Refused(description: "not activated: \(activated.status) \(activated.body)")
        }
        try await eventually("sign-ins go to the new team") {
            let state = try await TestBrowser(self).authorize(.init(acme))["state"] ?? ""
            return try LoginAttempt(opening: state, with: settings.keyring, at: Date()).connection.description == id
        }
    }

    /// Processes one batch.
    package func work(_ step: String, _ transfer: String, limit: Int = 100) async throws -> TestBrowser.Answer {
        try await call("POST", "\(transfer)/\(step)", ["limit": limit])
    }

    /// The people of these names sign in, one after the other.
    /// - Returns: their user IDs.
    package func signIn(_ people: [String], hidingEmail: Bool = false) async throws -> [String] {
        var users: [String] = []
        for person in people {
            let (browser, request) = (TestBrowser(self), TestBrowser.Request(acme))
            let code = try await browser.code(request, person: person, headers: hidingEmail ? [("Simulator-Email", "hide")] : [])
            users.append(try claims(of: try await browser.redeem(code, request).string("id_token"))["sub"] as? String ?? "")
        }
        return users
    }

    /// Replaces the user's `sub` at the old team with one that Apple does not know.
    package func forget(_ user: String) async throws {
        _ = try await ownerPool.run("UPDATE identity SET apple_sub = 'nobody' WHERE user_id = \(ID<User>(user)) AND team_id = \(own.team)")
    }

    /// Apple's identifiers of the users in all teams. No output may contain them.
    package func appleNames() async throws -> [String] {
        try await ownerPool.run(
            "SELECT apple_sub AS name FROM identity UNION SELECT transfer_sub FROM team_transfer_user WHERE transfer_sub IS NOT NULL"
        ).map { try $0.get("name") }
    }
}

extension TestBrowser.Answer {
    /// The number of pending, collected, moved and failed users of a transfer.
    package var userCounts: [Int] {
        let users = json["users"] as? [String: Int] ?? [:]
        return ["pending", "collected", "moved", "failed"].map { users[$0] ?? -1 }
    }

    /// The number of done, failed and postponed users of a batch, and whether no user is left.
    package var batch: String {
        let counts = ["done", "failed", "put_off"].map { json[$0] as? Int ?? -1 }
        return "\(counts[0]) \(counts[1]) \(counts[2]) \(json["finished"] as? Bool ?? false)"
    }

    /// The whole response, with its members in alphabetical order.
    package var sorted: String {
        let data = try? JSONSerialization.data(withJSONObject: json, options: .sortedKeys)
        return String(decoding: data ?? Data(), as: UTF8.self)
    }

    /// Each user's state in a report, with the reason or the step that moved the user.
    package var states: [String: String] {
        Dictionary(
            data.map { line in
                let detail = (line["reason"] ?? line["moved_by"]) as? String
                return (line["user_id"] as? String ?? "", (line["state"] as? String ?? "") + (detail.map { " \($0)" } ?? ""))
            }, uniquingKeysWith: { $1 })
    }
}
