import ArgumentParser

/// The types of webhook events.
enum WebhookEventType: String, CaseIterable, ExpressibleByArgument {
    case userCreated = "user.created"
    case userDeleted = "user.deleted"
    case consentRevoked = "user.consent_revoked"
    case emailDisabled = "user.email_disabled"
    case emailEnabled = "user.email_enabled"
    case identityAdded = "user.identity_added"
    case identityRemoved = "user.identity_removed"
    case sessionRevoked = "session.revoked"
    case connectionFailing = "connection.failing"
    case keyExpiring = "key.expiring"
    case usageThreshold = "usage.threshold"
    case statementClosed = "statement.closed"
    case supportStarted = "support_access.started"
    case supportEnded = "support_access.ended"
}
