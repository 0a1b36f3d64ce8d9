package import Foundation

/// Leave to ask about the users of one team who migrate with an app (Apple: "Transferring your apps and users to another team").
package struct MigrationToken: Sendable, Unprintable {
    let value: String
}

/// Whom the receiving team gets for a transfer identifier (Apple: "Bringing new apps and users into your team").
package struct MigratedUser: Sendable, Equatable, Unprintable {
    /// Apple's name for the user under the receiving team.
    package let subject: String
    /// The relay address that is the receiving team's; nil for a user who shares an address of their own.
    package let relayAddress: String?
}

/// Why Apple did not answer for one user.
package enum UserMigrationError: Error, Equatable {
    /// This user cannot migrate: unknown to the team, gone, or the consent is revoked. Asking again changes nothing.
    case refused
    /// Apple has had enough for now, and may say for how many seconds.
    case throttled(retryAfter: Int?)
    /// There was no answer, or it is about the credentials and so about every user.
    case failed(AppleError)
}

extension AppleClient {
    /// Gets leave to migrate a team's users, for an hour. While an app is between teams the old one gets it, too.
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
            throw .nonsense("a token answer without a token")
        }
        return MigrationToken(value: granted.access_token)
    }

    /// Gets a user's transfer identifier, as the team that the app leaves. It is the same however often it is asked for.
    ///
    /// - Parameters:
    ///   - subject: Apple's name for the user under that team.
    ///   - team: The Team ID of the one that the app goes to.
    package func transferSubject(
        of subject: String, to team: String, _ token: MigrationToken, _ credentials: AppleClientCredentials, at now: Date
    ) async throws(UserMigrationError) -> String {
        struct Given: Decodable {
            let transfer_sub: String
        }
        let body = try await migrate(sub: subject, target: team, token, credentials, at: now)
        guard let given = try? JSONDecoder().decode(Given.self, from: body), Self.isName(given.transfer_sub) else {
            throw .failed(.nonsense("a migration answer without a transfer identifier"))
        }
        return given.transfer_sub
    }

    /// Exchanges a transfer identifier, as the team that the app has come to.
    package func migratedUser(
        _ transferSubject: String, _ token: MigrationToken, _ credentials: AppleClientCredentials, at now: Date
    ) async throws(UserMigrationError) -> MigratedUser {
        guard let user = MigratedUser(answer: try await migrate(transferSub: transferSubject, token, credentials, at: now)) else {
            throw .failed(.nonsense("a migration answer without a user"))
        }
        return user
    }

    /// The endpoint is one for both sides: what the form holds says whose question it is.
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

    /// Whether a text can be one of Apple's names for a user.
    static func isName(_ text: String) -> Bool {
        (1...IDToken.longestSubject).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

extension MigratedUser {
    private struct Given: Decodable {
        let sub: String
        let email: String?
    }

    /// Nil where nobody is named.
    init?(answer: Data) {
        guard let given = try? JSONDecoder().decode(Given.self, from: answer), AppleClient.isName(given.sub) else { return nil }
        subject = given.sub
        // It comes for relay addresses only; the flag beside it has been seen as text and as nothing at all.
        relayAddress = given.email.flatMap { address in
            let isWord = address.utf8.count <= 320 && address.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            return isWord && address.lowercased().hasSuffix("@privaterelay.appleid.com") ? address : nil
        }
    }
}
