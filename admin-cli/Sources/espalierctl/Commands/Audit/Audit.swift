import ArgumentParser

/// `espalierctl audit`: who did what.
struct Audit: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows who did what, on which, and from where.",
        subcommands: [ListAuditEvents.self])
}

extension View {
    static let auditEvent = View(
        .init("Occurred", "occurred_at").exact,
        .init("Actor", "actor"),
        .init("Action", "action"),
        .init("Subject", "subject"),
        .init("Address", "address").optional, expendable: ["Address", "Actor"])
}
