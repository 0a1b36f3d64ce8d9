import ArgumentParser

/// `espalierctl mail`: shows and checks the mail server of the installation.
struct Mail: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows and checks the mail server of the installation.",
        subcommands: [ShowMail.self, TestMail.self])
}

extension View {
    static let mail = View(
        .init("Has a sender", "has_sender"),
        .init("Host", "server.host").optional,
        .init("Port", "server.port").optional,
        .init("TLS", "server.tls").optional,
        .init("Has a password", "server.has_password").optional,
        .init("From", "from").optional,
        .init("Waiting", "waiting.mails"),
        .init("Since", "waiting.since").optional,
        .init("Last mail", "last_sent_at").optional,
        .init("Last failure", "last_failure.at").optional,
        .init("Outcome", "last_failure.outcome").optional,
        .init("Reply", "last_failure.reply_code").optional)

    static let mailTest = View(
        .init("Outcome", "outcome"),
        .init("Reply", "reply_code").optional)
}
