import ArgumentParser

/// `espalierctl mail test`: sends a test mail, and shows the result of the mail server.
struct TestMail: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Sends a test mail, and shows the result of the mail server.",
        discussion: """
            The exit code is 1 if the mail server did not accept the mail.

            EXAMPLES
              espalierctl mail test ada@example.com
            """)
    static let view: View? = .mailTest

    @Argument(help: ArgumentHelp("The recipient.", valueName: "address"))
    var address: String

    @OptionGroup var options: ChangeOptions

    func call(_ session: Session) throws -> Call {
        .post("platform/mail/test", ["to": JSON(address)])
    }

    func reportedFailure(_ result: JSON) -> Failure? {
        guard let outcome = result["outcome"]?.string, outcome != "sent" else { return nil }
        let nextStep =
            switch outcome {
            case "sender_refused", "authentication_unsupported": "Check the user and password in ESPALIER_SMTP_URL, and ESPALIER_MAIL_FROM."
            case "tls_missing": "Use smtps:// in ESPALIER_SMTP_URL, or another mail server."
            case "tls_failed":
                "Check ESPALIER_SMTP_URL: the host, and smtp:// (usually port 587) or smtps:// (usually port 465). Set ESPALIER_SMTP_CA_FILE "
                    + "for a private authority."
            case "name_not_resolved", "connection_failed", "timed_out":
                "Check ESPALIER_SMTP_URL: the host, the port, and smtp:// (usually port 587) or smtps:// (usually port 465). Then check "
                    + "firewalls."
            case "recipient_refused", "message_refused":
                "Check that the server accepts ESPALIER_MAIL_FROM and the user in ESPALIER_SMTP_URL. Then try another address."
            case "address_unsupported": "Try another address."
            default: "Retry in a few minutes, and see the log of the mail server."
            }
        return Failure(status: .failure, detail: "The mail server did not accept the mail: \(outcome.printable).", nextStep: nextStep)
    }
}
