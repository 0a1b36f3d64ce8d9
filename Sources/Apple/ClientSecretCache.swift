import Foundation
import Synchronization

/// A cache of client secrets, so that most logins reuse a secret instead of signing one.
///
/// A secret is found only for the same team, client, Key ID and key, so a connection's new key takes effect at the
/// next call. A full cache is emptied completely, because signing again costs less than an eviction order.
final class ClientSecretCache: Sendable {
    static let lifetime: TimeInterval = 300
    /// The last minute of a secret's lifetime is left for the transfer of the request and for clock differences.
    static let usableFor: TimeInterval = 240
    static let capacity = 4096

    private struct Owner: Hashable {
        let teamID: String
        let clientID: String
        let keyID: String
        let keyVersion: String
    }

    private struct Entry {
        let secret: String
        let mintedAt: Date
    }

    private let audience: String
    private let entries = Mutex<[Owner: Entry]>([:])

    init(audience: String) {
        self.audience = audience
    }

    func secret(for credentials: AppleClientCredentials, at now: Date) async throws(AppleError) -> String {
        let owner = Owner(
            teamID: credentials.teamID, clientID: credentials.clientID, keyID: credentials.keyID,
            keyVersion: credentials.keyVersion)
        if let entry = entries.withLock({ $0[owner] }), (0..<Self.usableFor).contains(now.timeIntervalSince(entry.mintedAt)) {
            return entry.secret
        }
        let secret: String
        do {
            secret = try await ClientSecret.mint(for: credentials, audience: audience, at: now, lifetime: Self.lifetime)
        } catch {
            throw .unsigned
        }
        entries.withLock {
            if $0.count >= Self.capacity { $0.removeAll(keepingCapacity: true) }
            $0[owner] = Entry(secret: secret, mintedAt: now)
        }
        return secret
    }
}
