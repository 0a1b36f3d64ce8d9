import Access
import Foundation

/// A support access as callers and the audit trail see it.
struct SupportAccessReply: Encodable, Sendable {
    enum State: String, Encodable {
        case active, ended
    }

    let id: ID<SupportAccess>
    let object = "support_access"
    let person_id: ID<Person>
    let operator_name, reason: String
    let state: State
    let started_at, ends_at: Date
    let ended_at: Date?
    let ended_by: String?
    let created_at, updated_at: Date

    init(_ access: SupportAccess, at now: Date) {
        // The end of its time counts before the row has it.
        let shown = access.endedAt == nil && access.endsAt <= now ? access.ended(by: AuditEvent.Origin.system.actor, at: now) : access
        (id, person_id, operator_name, reason) = (shown.id, shown.person, shown.operatorName, shown.reason)
        state = shown.isActive(at: now) ? .active : .ended
        (started_at, ends_at, ended_at, ended_by) = (shown.startedAt, shown.endsAt, shown.endedAt, shown.endedBy)
        (created_at, updated_at) = (shown.startedAt, shown.endedAt ?? shown.startedAt)
    }
}
