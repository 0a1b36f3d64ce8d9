import ArgumentParser

/// `espalierctl mail show`: shows the mail server, the waiting mails and the last results.
struct ShowMail: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows the mail server, the waiting mails and the last results.",
        discussion: """
            EXAMPLES
              espalierctl mail show
              espalierctl mail show --json | jq .waiting.mails
            """)
    static let view: View? = .mail

    @OptionGroup var options: ReadOptions

    func call(_ session: Session) throws -> Call {
        .get("platform/mail")
    }

    func note(_ mail: JSON) -> String? {
        mail["has_sender"] == .bool(false) ? "This installation sends no mail. Set ESPALIER_SMTP_URL and ESPALIER_MAIL_FROM." : nil
    }
}
