import Access
import Apple
import Foundation
import Hummingbird
import Postgres
import Tenancy
import Web

/// A batch of a transfer as the REST API tells of it.
struct TransferBatchReply: Encodable, Sendable {
    let object = "transfer_batch"
    /// Users who were collected, or moved.
    var done = 0
    var failed = 0
    /// Users for whom Apple gave no answer.
    var put_off = 0
    /// Whether there is nobody left for now.
    var finished = false
    /// Seconds, where Apple asks for a pause.
    var retry_after: Int?
}

/// What Apple said of a batch of users.
struct TransferAnswers<Answer: Sendable>: Sendable {
    /// For how many users Apple is asked at the same time.
    static var breadth: Int { 8 }

    private(set) var answered: [(user: TransferUser, answer: Answer)] = []
    private(set) var refused: [TransferUser] = []
    private(set) var putOff = 0
    private(set) var retryAfter: Int?
    /// What there is to say of Apple, where no user got an answer.
    private(set) var trouble: AppleError?

    /// Asks for one user after the other, several at a time. When Apple has had enough or does not answer, nobody else is asked:
    /// the rest comes again.
    init(_ users: [TransferUser], _ ask: @escaping @Sendable (TransferUser) async throws(UserMigrationError) -> Answer) async {
        await withTaskGroup(of: (TransferUser, Result<Answer, UserMigrationError>).self) { group in
            var waiting = users[...]
            func next() {
                guard let user = waiting.popFirst() else { return }
                group.addTask {
                    do throws(UserMigrationError) { return (user, .success(try await ask(user))) } catch { return (user, .failure(error)) }
                }
            }
            for _ in 0..<Self.breadth { next() }
            for await (user, result) in group {
                switch result {
                case .success(let answer): answered.append((user, answer))
                case .failure(.refused): refused.append(user)
                case .failure(.throttled(let seconds)):
                    putOff += 1
                    // Apple need not say for how long.
                    retryAfter = max(retryAfter ?? 0, seconds ?? 10)
                case .failure(.failed(let error)):
                    putOff += 1
                    trouble = error
                }
                if retryAfter == nil, trouble == nil { next() }
            }
            putOff += waiting.count
        }
    }

    /// - Throws: `Problem` 422 where Apple refuses everybody of a batch that is no accident, and has never answered otherwise; 422 or
    ///   503 where it is about the credentials, or nobody got an answer.
    func requireSense(_ hasAnsweredBefore: Bool, _ transfer: TeamTransfer, _ team: String) throws {
        if answered.isEmpty, refused.isEmpty, let trouble { throw Problem(trouble, migrating: team) }
        if case .refused = trouble { throw Problem(trouble ?? .unreachable, migrating: team) }
        guard answered.isEmpty, refused.count >= 5, !hasAnsweredBefore else { return }
        throw Problem(
            .appleRefused,
            """
            Apple refuses everybody, so it is not about these users, and nothing was written. Check the Team ID that the app goes to, \
            \(transfer.toTeam), that the app is the one of \(transfer.servicesID), and that Apple's 60 days have not passed.
            """)
    }
}

extension Problem {
    init(_ error: AppleError, migrating team: String) {
        switch error {
        case .refused(let code):
            self.init(.appleRefused, "Apple does not let the team \(team) ask about its users (\(code)). \(code.advice)")
        case .unsigned:
            self.init(.conflict, "The key of the team \(team) does not sign. Add another one to its connection.")
        default:
            self.init(.unavailable, "\(error) Nothing is lost: go on in a moment.")
        }
    }
}

extension TransferRoutes {
    /// The body of the requests that work off a batch.
    func batchLimit(_ request: Request) async throws -> Int {
        var fields = try await JSONFields(request, isOptional: true)
        let limit = fields.integer("limit", 1...100)
        try fields.finish()
        return limit ?? 50
    }

    /// What proves to Apple that a team of the transfer asks: through the tenant's connection to it, with the key that signs there.
    /// - Throws: `Problem` 409 when there is none.
    func credentials(
        ofTeam team: String, in transfer: TeamTransfer, of call: TenantContext, at now: Date
    ) async throws -> AppleClientCredentials {
        let found = try await call.database(pool).run(
            """
            SELECT k.id, k.tenant_id, k.connection_id, k.key_id, k.sealed_pem, k.state, k.fingerprint, k.proven_at, k.last_used_at,
                k.usable_until, k.created_at, k.updated_at
            FROM connection c JOIN apple_key k ON k.tenant_id = c.tenant_id AND k.connection_id = c.id
            WHERE c.tenant_id = \(call.tenant) AND c.team_id = \(team) AND c.services_id = \(transfer.servicesID)
                AND (k.state = 'current' OR k.state = 'previous' AND k.usable_until > \(now))
            ORDER BY k.state, c.id LIMIT 1
            """)
        guard let key = try found.first(AppleKey.init) else {
            throw Problem(
                .conflict,
                """
                There is no connection to the team \(team) with the Services ID \(transfer.servicesID) and a key that Apple accepts. Create \
                one, or check it again: the new team's key is good only after Apple has transferred the app.
                """)
        }
        lastUsed.note(key.id, owner: key.owner, at: now)
        return AppleClientCredentials(teamID: team, clientID: transfer.servicesID, key: key, for: key.owner, keyring: keyring)
    }

    /// - Throws: `Problem` 422, 503.
    func migrationToken(_ credentials: AppleClientCredentials, at now: Date) async throws -> MigrationToken {
        do throws(AppleError) {
            return try await apple.migrationToken(credentials, at: now)
        } catch {
            if case .cancelled = error { throw CancellationError() }
            throw Problem(error, migrating: credentials.teamID)
        }
    }
}
