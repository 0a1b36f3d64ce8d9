import ArgumentParser

/// `espalierctl domains`: manages a tenant's own hosts.
struct Domains: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "domains",
        abstract: "Manages the own hosts at which a tenant's users sign in.",
        subcommands: [
            CreateDomain.self, ListDomains.self, ShowDomain.self, VerifyDomain.self, UpdateDomain.self, DeleteDomain.self,
        ])
}

extension View {
    static let domain = View(
        .init("ID", "id"),
        .init("Host", "host"),
        .init("State", "state"),
        .init("Primary", "is_primary"),
        .init("Exclusive", "is_exclusive"),
        .init("Issuer", "issuer").detail,
        .init("Verified", "verified_at").detail.optional,
        .init("Checked", "checked_at").detail.optional,
        .init("Failing since", "failing_since").detail.optional,
        .init("Expires", "expires_at").detail.optional,
        .init("Created", "created_at").detail,
        .init("Updated", "updated_at").detail,
        .init("DNS record", "proof.record.name").detail,
        .init("DNS value (TXT)", "proof.record.value").detail,
        .init("or file, only while a server of yours has the host", "proof.file.url").detail,
        .init("Content of the file", "proof.file.content").detail,
        .init("Apple's Return URL", "return_url").detail,
        .init("Apple's notification URL", "notification_url").detail,
        expendable: ["Exclusive", "Primary", "ID"])
}
