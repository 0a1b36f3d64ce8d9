import Access
import Apple
import Foundation
import Hummingbird
import Postgres
import Tenancy
import Web

/// The result of a transfer's batch in the REST API.
struct TransferBatchReply: Encodable, Sendable {
    let object = "transfer_batch"
    /// How many users were collected or moved.
    var done = 0
    var failed = 0
    /// For how many users Apple gave no response.
    var put_off = 0
    /// Whether no user is left for now.
    var finished = false
    /// How long to wait, in seconds, if Apple asks for a pause.
    var retry_after: Int?
}

/// Apple's responses about a batch of users.
struct TransferAnswers<Answer: Sendable>: Sendable {
    /// How many users Apple is asked about at the same time.
    static var breadth: Int { 8 }

    private(set) var answered: [(user: TransferUser, answer: Answer)] = []
    private(set) var refused: [TransferUser] = []
    private(set) var putOff = 0
    private(set) var retryAfter: Int?
    /// Apple's failure, if there was one.
    private(set) var trouble: AppleError?

    /// Asks Apple about each user, several at a time. If Apple throttles or does not respond, it stops. The remaining users come in a later
    /// batch.
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
                    // Apple may omit the time.
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

    /// - Throws: `Problem` 422 if Apple refuses all users of a batch of at least 5 and has never accepted one; 422 or 503 if the cause is
    ///   the credentials, or if no user got a response.
    func requireSense(_ hasAnsweredBefore: Bool, _ transfer: TeamTransfer, _ team: String) throws {
        if answered.isEmpty, refused.isEmpty, let trouble { throw Problem(trouble, migrating: team) }
        if case .refused = trouble { throw Problem(trouble ?? .unreachable, migrating: team) }
        guard answered.isEmpty, refused.count >= 5, !hasAnsweredBefore else { return }
        throw Problem(
            .appleRefused,
            """
            Apple refused all users, so nothing was written. Check that the team that receives the app is \
            \(transfer.toTeam), that the app has the Services ID \(transfer.servicesID), and that Apple's 60 days have not passed.
            """)
    }
}

extension Problem {
    init(_ error: AppleError, migrating team: String) {
        switch error {
        case .refused(let code):
            self.init(.appleRefused, "Apple refused the request of the team \(team) about its users (\(code)). \(code.advice)")
        case .unsigned:
            self.init(.conflict, "The Apple key of the team \(team) cannot sign. Add another key to its connection.")
        default:
            self.init(.unavailable, "\(error) Nothing is lost. Continue in a moment.")
        }
    }
}

extension TransferRoutes {
    /// Reads the body of a request that processes a batch.
    func batchLimit(_ request: Request) async throws -> Int {
        var fields = try await JSONFields(request, isOptional: true)
        let limit = fields.integer("limit", 1...100)
        try fields.finish()
        return limit ?? 50
    }

    /// The credentials of a team of the transfer: the current key of the tenant's connection to that team.
    /// - Throws: `Problem` 409 if there are none.
    func credentials(
        ofTeam team: String, in transfer: TeamTransfer, of call: TenantContext, at now: Date
    ) async throws -> AppleClientCredentials {
        let found = try await call.database(pool).run(
            """
            SELECT k.* FROM (\(part: Connection.signingKeys(at: now))) AS k
            WHERE k.tenant_id = \(call.tenant) AND k.team_id = \(team) AND k.services_id = \(transfer.servicesID)
            ORDER BY k.state, k.connection_id LIMIT 1
            """)
        guard let key = try found.first(AppleKey.init) else {
            throw Problem(
                .conflict,
                """
                No connection to the team \(team) has the Services ID \(transfer.servicesID) and a key that Apple accepts. Create \
                one, or check it again. The new team's key is valid only after Apple has transferred the app.
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
