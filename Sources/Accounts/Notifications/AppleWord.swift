import Access
import Foundation

/// The content of the audit event for an Apple event.
struct AppleWord: Encodable {
    let event_at: Date
    /// The number of sessions that ended.
    var sessions: Int?
    var erase_after: Date?
}

extension AuditEvent.Origin {
    /// The actor of a person's actions at Apple.
    static let apple = AuditEvent.Origin(actor: "apple", address: nil, requestID: nil)
}
