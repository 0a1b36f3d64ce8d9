import Access
import Foundation
import Postgres

/// The last results of the mail server, for operators. The platform has one row, which every process writes.
struct MailStatus: Sendable {
    struct Failure: Encodable {
        let at: Date
        let outcome: String
        let reply_code: Int?
    }

    let sentAt: Date?
    let failure: Failure?

    init(_ row: Row) throws {
        sentAt = try row.get("sent_at")
        failure = try row.get("failed_at", as: Date?.self).map { at in
            Failure(at: at, outcome: try row.get("failure"), reply_code: try row.get("failure_reply"))
        }
    }

    static let find: SQL = "SELECT sent_at, failed_at, failure, failure_reply FROM mail_status WHERE tenant_id = \(UUID.platform)"

    /// Records a result. A success is recorded at most once per second, so that the mails of a busy installation do not wait for one row.
    static func record(_ result: MailResult, at now: Date) -> SQL {
        if result.outcome == .sent {
            """
            INSERT INTO mail_status (tenant_id, sent_at) VALUES (\(UUID.platform), \(now))
            ON CONFLICT (tenant_id) DO UPDATE SET sent_at = excluded.sent_at
            WHERE mail_status.sent_at IS NULL OR mail_status.sent_at < excluded.sent_at - interval '1 second'
            """
        } else {
            """
            INSERT INTO mail_status (tenant_id, failed_at, failure, failure_reply)
            VALUES (\(UUID.platform), \(now), \(result.outcome), \(result.reply)::integer)
            ON CONFLICT (tenant_id) DO UPDATE SET failed_at = excluded.failed_at, failure = excluded.failure,
                failure_reply = excluded.failure_reply
            """
        }
    }
}
