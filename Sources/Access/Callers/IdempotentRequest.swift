import Crypto
package import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Postgres
import Sealing
import Web

/// A repeatable request as its row identifies it, only by digests.
package struct IdempotentRequest: Sendable {
    /// How long a response is stored, in seconds.
    static let lifetime: TimeInterval = 24 * 3600
    /// How long a request locks its row, in seconds. This is longer than any request takes, so after that time a repetition assumes a
    /// crash.
    static let lock: TimeInterval = 60
    /// The limit of rows per tenant. Each row stores a response for a day, so a tenant could otherwise fill the disk. The oldest rows are
    /// not dropped, because a repetition of their requests would be carried out again.
    static let mostOfTenant = 10_000

    private let owner: UUID
    /// The caller. A person has an ID of its own here too, because the column has only one kind.
    private let key: ID<APIKey>
    private let digest: [UInt8]
    /// The digests under each digest key, the current key first. They are keyed, because a body may be guessable.
    private let bodyDigests: [[UInt8]]
    private let now: Date
    /// The end of the lock. It also distinguishes this request's lock from a later request's.
    private let lockedUntil: Date

    init(key: String, method: String, path: String, body: [UInt8], by caller: Caller, keyring: Keyring, at now: Date) {
        (owner, self.key, self.now) = (caller.owner, ID(caller.actor.uuid), now)
        lockedUntil = now.addingTimeInterval(Self.lock)
        // Each part has its length in front, so that no two requests have the same text.
        let text = [key, method, path].map { "\($0.utf8.count):\($0)" }.joined(separator: ",")
        digest = Array(SHA256.hash(data: Array(text.utf8)))
        bodyDigests = keyring.digests(body, purpose: "idempotency_key.body")
    }

    enum Claim {
        /// This request holds the row and must be carried out.
        case mine
        case answered(StoredAnswer)
        case anotherBody
        case running
        /// The tenant has no room for another row. The oldest row expires after this number of seconds.
        case full(seconds: Int)
    }

    /// Takes the row if there is none, if it is older than a day, or if its lock has expired.
    func take(in database: OwnerDatabase, keyring: Keyring) async throws -> Claim {
        let (taken, stored) = try await database.run(
            """
            INSERT INTO idempotency_key (tenant_id, api_key_id, digest, body_digest, created_at, locked_until)
            SELECT \(owner), \(key), \(digest), \(bodyDigests[0]), \(now), \(lockedUntil)
            WHERE \(owner == .platform) OR \(Self.mostOfTenant) > (SELECT count(*) FROM (
                    SELECT FROM idempotency_key WHERE tenant_id = \(owner) AND created_at > \(now.addingTimeInterval(-Self.lifetime))
                    LIMIT \(Self.mostOfTenant)) AS live)
                OR EXISTS (SELECT FROM idempotency_key WHERE tenant_id = \(owner) AND api_key_id = \(key) AND digest = \(digest))
            ON CONFLICT (tenant_id, api_key_id, digest) DO UPDATE
            SET body_digest = excluded.body_digest, created_at = excluded.created_at, locked_until = excluded.locked_until,
                sealed_answer = NULL
            WHERE idempotency_key.created_at <= \(now.addingTimeInterval(-Self.lifetime))
            OR (idempotency_key.sealed_answer IS NULL AND idempotency_key.locked_until <= \(now)
                AND idempotency_key.body_digest = ANY(\(bodyDigests)))
            """,
            """
            SELECT body_digest, sealed_answer FROM idempotency_key
            WHERE tenant_id = \(owner) AND api_key_id = \(key) AND digest = \(digest)
            """)
        guard taken.affected == 0 else { return .mine }
        // An upsert locks the row even if it does not change it. So a missing row means that there was no room for it.
        guard let row = stored.first else { return try await .full(seconds: secondsUntilRoom(in: database)) }
        guard bodyDigests.contains(try row.get("body_digest", as: [UInt8].self)) else { return .anotherBody }
        guard let sealed = try row.get("sealed_answer", as: [UInt8]?.self) else { return .running }
        return .answered(try StoredAnswer(json: keyring.open(Sealed(bytes: sealed), in: context)))
    }

    private func secondsUntilRoom(in database: OwnerDatabase) async throws -> Int {
        let oldest = try await database.run(
            """
            SELECT min(created_at) AS at FROM idempotency_key
            WHERE tenant_id = \(owner) AND created_at > \(now.addingTimeInterval(-Self.lifetime))
            """
        )[0].get("at", as: Date?.self)
        return max(1, Int(((oldest ?? now).addingTimeInterval(Self.lifetime).timeIntervalSince(now)).rounded(.up)))
    }

    /// Stores the response, unless another request has taken the row since then.
    func store(_ answer: StoredAnswer, in database: OwnerDatabase, keyring: Keyring) async throws {
        let sealed = keyring.seal(try answer.json, in: context)
        _ = try await database.run(
            """
            UPDATE idempotency_key SET sealed_answer = \(sealed.bytes)
            WHERE tenant_id = \(owner) AND api_key_id = \(key) AND digest = \(digest)
            AND sealed_answer IS NULL AND locked_until = \(lockedUntil)
            """)
    }

    /// Removes the row, as if the request had never arrived.
    func free(in database: OwnerDatabase) async throws {
        _ = try await database.run(
            """
            DELETE FROM idempotency_key WHERE tenant_id = \(owner) AND api_key_id = \(key) AND digest = \(digest)
            AND sealed_answer IS NULL AND locked_until = \(lockedUntil)
            """)
    }

    private var context: SealingContext { Self.context(owner: owner, key: key, digest: digest) }

    static func context(owner: UUID, key: ID<APIKey>, digest: [UInt8]) -> SealingContext {
        SealingContext(
            tenant: owner, table: "idempotency_key", column: "sealed_answer",
            row: "\(key)/" + digest.map { String($0, radix: 16) }.joined(separator: "."))
    }

    /// Removes rows older than a day, 1,000 at a time. Every process may run this.
    package static func forgetOld(in database: PlatformDatabase, at now: Date) async throws {
        try await database.remove { batch in
            """
            DELETE FROM idempotency_key WHERE (tenant_id, api_key_id, digest) IN (
                SELECT tenant_id, api_key_id, digest FROM idempotency_key
                WHERE created_at <= \(now.addingTimeInterval(-lifetime)) AND locked_until <= \(now)
                ORDER BY created_at LIMIT \(batch) FOR UPDATE SKIP LOCKED)
            """
        }
    }
}

/// A response without the parts that each response has of its own: its request ID and the rest of the limit.
struct StoredAnswer: Codable, Sendable {
    private struct Header: Codable {
        let name, value: String
    }

    private let status: Int
    private let headers: [Header]
    private let body: Data

    init(_ response: Response) async throws {
        status = response.status.code
        headers = response.headers.map { Header(name: $0.name.rawName, value: $0.value) }
        let collected = CollectedBody()
        try await response.body.write(collected)
        body = collected.bytes
    }

    init(json: [UInt8]) throws {
        self = try JSONDecoder().decode(StoredAnswer.self, from: Data(json))
    }

    var json: [UInt8] {
        get throws { Array(try JSONEncoder().encode(self)) }
    }

    /// The largest stored body, in bytes. No action responds to a POST with more.
    static let largestBody = 65_536

    /// The response for a replay: this one, or an error with the original status if the body is too large to store.
    func storable(for request: Request, requestID: String) async throws -> StoredAnswer {
        guard body.count > Self.largestBody else { return self }
        let problem = Problem(
            .conflict,
            """
            The first request with this `Idempotency-Key` returned status \(status). Its response was larger than 64 KiB and was \
            not stored. Read the resource instead.
            """)
        return try await StoredAnswer(problem.response(instance: request.uri.path, requestID: requestID))
    }

    var response: Response {
        var fields = HTTPFields()
        for header in headers {
            if let name = HTTPField.Name(header.name) { fields.append(HTTPField(name: name, value: header.value)) }
        }
        return Response(status: .init(code: status), headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
    }

    /// Copies a body while it is written.
    private final class CollectedBody: ResponseBodyWriter {
        private(set) var bytes = Data()

        func write(_ buffer: ByteBuffer) async throws {
            bytes.append(contentsOf: buffer.readableBytesView)
        }

        func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }
}
