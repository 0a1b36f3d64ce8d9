package import Foundation

/// Permission to query the users of one team that migrate with an app (Apple: "Transferring your apps and users to another
/// team").
package struct MigrationToken: Sendable, Unprintable {
    let value: String
}

/// The user that a transfer identifier denotes at the receiving team (Apple: "Bringing new apps and users into your
/// team").
package struct MigratedUser: Sendable, Equatable, Unprintable {
    /// Apple's identifier for the user under the receiving team.
    package let subject: String
    /// The receiving team's relay address; nil for a user who shares their own address.
    package let relayAddress: String?
}

/// The reason why Apple returned no result for one user.
package enum UserMigrationError: Error, Equatable {
    /// This user cannot migrate: unknown to the team, deleted, or with revoked consent. A retry changes nothing.
    case refused
    /// Apple throttles the calls. Its response may contain the seconds to wait.
    case throttled(retryAfter: Int?)
    /// Apple did not respond, or its response concerns the credentials and so every user.
    case failed(AppleError)
}

extension AppleClient {
    /// Gets permission to migrate a team's users, for one hour. While an app is between teams, the old team also gets
    /// it.
    package func migrationToken(_ credentials: AppleClientCredentials, at now: Date) async throws(AppleError) -> MigrationToken {
        struct Granted: Decodable {
            let access_token: String
        }
        let answer = try await wire.post(
            "/auth/token",
            [
                "grant_type": "client_credentials", "scope": "user.migration", "client_id": credentials.clientID,
                "client_secret": try await secrets.secret(for: credentials, at: now),
            ], of: credentials.share)
        try Self.requireSuccess(answer)
        guard let granted = try? JSONDecoder().decode(Granted.self, from: Data(answer.body)) else {
            throw .nonsense("a token response without a token")
        }
        return MigrationToken(value: granted.access_token)
    }

    /// Gets a user's transfer identifier, as the team that transfers the app. Repeated calls return the same identifier.
    ///
    /// - Parameters:
    ///   - subject: Apple's identifier for the user under that team.
    ///   - team: The Team ID of the receiving team.
    package func transferSubject(
        of subject: String, to team: String, _ token: MigrationToken, _ credentials: AppleClientCredentials, at now: Date
    ) async throws(UserMigrationError) -> String {
        struct Given: Decodable {
            let transfer_sub: String
        }
        let body = try await migrate(sub: subject, target: team, token, credentials, at: now)
        guard let given = try? JSONDecoder().decode(Given.self, from: body), Self.isName(given.transfer_sub) else {
            throw .failed(.nonsense("a migration response without a transfer identifier"))
        }
        return given.transfer_sub
    }

    /// Exchanges a transfer identifier, as the team that received the app.
    package func migratedUser(
        _ transferSubject: String, _ token: MigrationToken, _ credentials: AppleClientCredentials, at now: Date
    ) async throws(UserMigrationError) -> MigratedUser {
        guard let user = MigratedUser(answer: try await migrate(transferSub: transferSubject, token, credentials, at: now)) else {
            throw .failed(.nonsense("a migration response without a user"))
        }
        return user
    }

    /// Both sides use the same endpoint. The form fields determine the direction.
    private func migrate(
        sub: String? = nil, target: String? = nil, transferSub: String? = nil, _ token: MigrationToken,
        _ credentials: AppleClientCredentials, at now: Date
    ) async throws(UserMigrationError) -> Data {
        let answer: AppleWire.Answer
        do throws(AppleError) {
            let secret = try await secrets.secret(for: credentials, at: now)
            answer = try await wire.post(
                "/auth/usermigrationinfo",
                [
                    "sub": sub, "target": target, "transfer_sub": transferSub, "client_id": credentials.clientID, "client_secret": secret,
                ], of: credentials.share, bearer: token.value)
        } catch {
            throw .failed(error)
        }
        if [429, 503].contains(answer.status) { throw .throttled(retryAfter: answer.retryAfter) }
        do throws(AppleError) {
            try Self.requireSuccess(answer)
        } catch {
            switch error {
            case .refused(.invalidRequest), .refused(.invalidGrant), .refused(.other): throw .refused
            default: throw .failed(error)
            }
        }
        return Data(answer.body)
    }

    /// Whether a text can be an Apple user identifier.
    static func isName(_ text: String) -> Bool {
        (1...IDToken.longestSubject).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

extension MigratedUser {
    private struct Given: Decodable {
        let sub: String
        let email: String?
    }

    /// Nil if the response names no user.
    init?(answer: Data) {
        guard let given = try? JSONDecoder().decode(Given.self, from: answer), AppleClient.isName(given.sub) else { return nil }
        subject = given.sub
        // Apple sends the address only for relay addresses. The flag next to it has been observed as text and
        // missing.
        relayAddress = given.email.flatMap { address in
            let isWord = address.utf8.count <= 320 && address.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            return isWord && address.lowercased().hasSuffix("@privaterelay.appleid.com") ? address : nil
        }
    }
}
