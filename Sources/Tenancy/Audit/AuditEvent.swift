/// Who (`actor`, an id) did what (`action`, a verb in the past) to what (`subject`, an id). Written by the statement that does
/// it; appended, never changed: the server's role may only insert.
package enum AuditEvent: Identified {
    package static let idPrefix = "audit"
}
