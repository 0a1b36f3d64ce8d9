import Access
import Delivery
import Encoding
import Foundation
import Postgres
import Web

/// The doctor's result for a connection's credentials, step by step. It contains no secret.
struct ConnectionCheck: Sendable {
    enum Outcome: String, Codable, SQLValue {
        case passed, failed
        /// Apple did not respond, so the result is unknown.
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
            /// An earlier step that it needs did not pass.
            case skipped
        }

        let step: Name
        let outcome: Outcome
        /// The finding. For a failure, the likely cause and the next step.
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

    /// The last check of a connection, if there was one.
    init?(_ row: Row) throws {
        guard let checkedAt = try row.get("checked_at", as: Date?.self), let steps = try row.get("check_steps", as: JSON?.self)
        else { return nil }
        self.checkedAt = checkedAt
        outcome = try row.get("check_outcome")
        self.steps = try JSONDecoder().decode([Step].self, from: Data(steps.bytes))
    }

    /// Whether Apple accepted the key for this connection. The clock may still be wrong.
    var provesKey: Bool { steps.contains { $0.step == .tokenEndpoint && $0.outcome == .passed } }

    /// All failures in one text.
    var complaint: String {
        steps.filter { $0.outcome == .failed || $0.outcome == .unreachable }.map(\.detail).joined(separator: " ")
    }

    /// The names of the failed steps.
    var failed: String {
        steps.filter { $0.outcome == .failed }.map(\.step.rawValue).joined(separator: ",")
    }

    var stepsAsJSON: JSON {
        get throws { JSON(bytes: try JSONWriter.encode(steps)) }
    }
}

extension ConnectionDetails {
    /// Records the doctor's result and reports news.
    ///
    /// A webhook reports that the connection started to fail. An audit event records a changed outcome or a requested check. The
    /// connection's version does not change. A result for another version than the stored one is not written.
    ///
    /// - Parameters:
    /// - key: the checked key.
    /// - action: the `operationId`.
    func record(
        _ check: ConnectionCheck, of key: AppleKey?, fingerprint: [UInt8]?, action: String, by origin: AuditEvent.Origin,
        isAudited: Bool, in database: OwnerDatabase
    ) async throws {
        let (owner, id, version, now) = (connection.owner, connection.id, updatedAt, check.checkedAt)
        // The random part spreads the checks over time. An unknown result is checked again in an hour.
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
                        owner: owner, by: origin, at: now))
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
        /// Apple refused the current key, and the previous one is current again.
        case keyRefused = "apple_key_refused"
    }

    let connection_id: ID<Connection>
    let reason: Reason
    let apple_key_id: ID<AppleKey>?
}
