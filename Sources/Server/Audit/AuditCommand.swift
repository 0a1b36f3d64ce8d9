import ArgumentParser

struct AuditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Verifies the audit trail.", subcommands: [VerifyAudit.self])
}
