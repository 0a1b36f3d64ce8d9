import Access
import Delivery
import Foundation
import Postgres
import Web

/// What the doctor found of a connection's credentials, step by step. Nothing in it is secret.
struct ConnectionCheck: Sendable {
    enum Outcome: String, Codable, SQLValue {
        case passed, failed
        /// Apple did not answer: nothing is known.
        case unreachable
    }

    struct Step: Codable, Sendable {
        enum Name: String, Codable {
            case privateKey = "private_key"
            case teamID = "team_id"
            case keyID = "key_id"
            case servicesID = "services_id"
            case signature
            case tokenEndpoint = "token_endpoint"
            case clock
        }

        enum Outcome: String, Codable {
            case passed, failed, unreachable
            /// What it builds upon did not come about.
            case skipped
        }

        let step: Name
        let outcome: Outcome
        /// What was found; of a failure, the likely cause and what to do.
        let detail: String

        init(_ step: Name, _ outcome: Outcome, _ detail: String) {
            (self.step, self.outcome, self.detail) = (step, outcome, detail)
        }
    }

    let outcome: Outcome
    let checkedAt: Date
    let steps: [Step]

    init(_ steps: [Step], at now: Date) {
        (self.steps, checkedAt) = (steps, now)
        outcome =
            if steps.contains(where: { $0.outcome == .failed }) { .failed } else if steps.contains(where: { $0.outcome == .unreachable }) {
                .unreachable
            } else { .passed }
    }

    /// The last one of a connection, if there was one.
    init?(_ row: Row) throws {
        guard let checkedAt = try row.get("checked_at", as: Date?.self), let steps = try row.get("check_steps", as: JSON?.self)
        else { return nil }
        self.checkedAt = checkedAt
        outcome = try row.get("check_outcome")
        self.steps = try JSONDecoder().decode([Step].self, from: Data(steps.bytes))
    }

    /// Whether Apple accepted the key for this connection. The clock may still be wrong.
    var provesKey: Bool { steps.contains { $0.step == .tokenEndpoint && $0.outcome == .passed } }

    /// What failed, in one text.
    var complaint: String {
        steps.filter { $0.outcome == .failed || $0.outcome == .unreachable }.map(\.detail).joined(separator: " ")
    }

    /// The names of the steps that failed.
    var failed: String {
        steps.filter { $0.outcome == .failed }.map(\.step.rawValue).joined(separator: ",")
    }

    var stepsAsJSON: JSON {
        get throws { JSON(bytes: try JSONWriter.encode(steps)) }
    }
}

extension ConnectionDetails {
    /// Writes down what the doctor found, and tells of it when it is news: a webhook when the connection began to fail, and an
    /// audit event when the outcome changed or a person asked. The connection's version stays; what was found of another version
    /// than the one in the database is not written.
    ///
    /// - Parameters:
    ///   - key: the one that was checked.
    ///   - action: the `operationId`.
    func record(
        _ check: ConnectionCheck, of key: AppleKey?, fingerprint: [UInt8]?, action: String, by origin: AuditEvent.Origin,
        isAudited: Bool, in database: OwnerDatabase
    ) async throws {
        let (owner, id, version, now) = (connection.owner, connection.id, updatedAt, check.checkedAt)
        // Not all at the same hour; and what is not known is asked again soon.
        let due = check.outcome == .unreachable ? 3600 : 86_400 - Double.random(in: 0...3600)
        try await database.transaction { db in
            let found = try await db.run(
                "SELECT check_outcome FROM connection WHERE tenant_id = \(owner) AND id = \(id) AND updated_at = \(version) FOR UPDATE")
            guard let before = try found.first({ try $0.get("check_outcome", as: ConnectionCheck.Outcome?.self) }) else { return }
            var statements: [SQL] = [
                """
                UPDATE connection SET checked_at = \(now), check_outcome = \(check.outcome), check_steps = \(try check.stepsAsJSON),
                    check_due_at = \(now + due)
                WHERE tenant_id = \(owner) AND id = \(id)
                """
            ]
            if let key {
                statements.append(
                    """
                    UPDATE apple_key SET fingerprint = COALESCE(fingerprint, \(fingerprint)),
                        proven_at = CASE WHEN \(check.provesKey) THEN \(now) ELSE proven_at END
                    WHERE tenant_id = \(owner) AND id = \(key.id) AND state <> 'retired'
                    """)
            }
            if check.outcome == .failed, before != .failed {
                statements.append(
                    try WebhookEvent.emit(
                        .connectionFailing, data: ConnectionFailing(connection_id: id, reason: .checkFailed, apple_key_id: key?.id),
                        owner: owner, at: now))
            }
            if isAudited || before != check.outcome {
                let after = Audited(outcome: check.outcome, steps: check.steps)
                statements.append(
                    try AuditEvent.insert(
                        action, of: id.description, owner: owner, by: origin, before: before.map { Audited(outcome: $0, steps: nil) },
                        after: after, at: now))
            }
            _ = try await db.run(statements)
        }
    }

    private struct Audited: Encodable {
        let outcome: ConnectionCheck.Outcome
        let steps: [ConnectionCheck.Step]?
    }
}

/// The data of the webhook event `connection.failing`.
struct ConnectionFailing: Encodable {
    enum Reason: String, Encodable {
        /// The doctor's check failed.
        case checkFailed = "check_failed"
        /// Apple refused the current key, and the previous one came back.
        case keyRefused = "apple_key_refused"
    }

    let connection_id: ID<Connection>
    let reason: Reason
    let apple_key_id: ID<AppleKey>?
}
