import ArgumentParser

/// `espalierctl audit`: reads the audit trail.
struct Audit: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows the audit trail: actor, action, subject and address of each action.",
        subcommands: [ListAuditEvents.self])
}

extension View {
    static let auditEvent = View(
        .init("Occurred", "occurred_at").exact,
        .init("Actor", "actor"),
        .init("Action", "action"),
        .init("Subject", "subject"),
        .init("Address", "address").optional, expendable: ["Address", "Subject"])
}
