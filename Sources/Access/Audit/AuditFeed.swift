import Crypto
package import Foundation
package import Postgres

extension AuditEvent {
    /// Selects the events of a trail with one of these actions as parts of a feed. The subject is the target of the action.
    ///
    /// Each action is a part of its own, because the index has the events of an action in the order of their times. The trail of a tenant
    /// has an event per logout.
    package static func events(_ feed: FeedPage, _ kind: FeedPage.Kind, actions: [String], of owner: UUID) -> [SQL] {
        actions.map { action in
            feed.select(
                kind, at: "occurred_at", bits: "left(encode(sha256(convert_to(subject, 'UTF8')), 'hex'), 16)", subject: "subject",
                source: "FROM audit_event WHERE tenant_id = \(owner) AND action = \(action)")
        }
    }

    /// The position of such an event.
    package static func position(_ kind: FeedPage.Kind, at time: Date, subject: String) -> UUID {
        FeedPage.position(kind, at: time, SHA256.hash(data: Data(subject.utf8)).prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    }
}
