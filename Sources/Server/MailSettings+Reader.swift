import Configuration
import Mail

extension MailSettings {
    /// Reads the settings of the mail server. Nil without a server.
    /// - Throws: `Refusal`
    init?(_ reader: ConfigReader) throws {
        func text(_ value: String?) -> String? { value.flatMap { $0.isEmpty ? nil : $0 } }
        let sender = text(reader.string(forKey: "mail.from"))
        let authorityFile = text(reader.string(forKey: "smtp.ca.file"))
        guard let url = text(reader.string(forKey: "smtp.url", isSecret: true)) else {
            for (name, value) in [("ESPALIER_MAIL_FROM", sender), ("ESPALIER_SMTP_CA_FILE", authorityFile)] where value != nil {
                throw Settings.Refusal(description: "\(name) needs ESPALIER_SMTP_URL, the mail server. Set it, or remove \(name).")
            }
            return nil
        }
        guard let sender else {
            throw Settings.Refusal(
                description: "ESPALIER_MAIL_FROM is missing. Set it to the sender of all mails, such as Acme <login@acme.example>.")
        }
        do {
            try self.init(url: url, sender: sender, authorityFile: authorityFile)
        } catch {
            throw Settings.Refusal(description: error.description)
        }
    }
}
