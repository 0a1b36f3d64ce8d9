import ArgumentParser

struct AuditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Look after the audit trail.", subcommands: [VerifyAudit.self])
}
