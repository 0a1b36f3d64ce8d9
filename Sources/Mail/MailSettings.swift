import Encoding
import Web

/// The mail server, and the sender of all mails.
package struct MailSettings: Sendable {
    /// A setting that is missing, invalid or contradictory. The text shows no part of a URL, which has a password.
    package struct Refusal: Error, CustomStringConvertible {
        package let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    let server: MailServer
    let sender: Sender
    /// The file with the certificates of the only authorities to trust; nil for those of the system.
    let authorityFile: String?

    /// - Parameters:
    ///   - url: The value of `ESPALIER_SMTP_URL`.
    ///   - sender: The value of `ESPALIER_MAIL_FROM`.
    ///   - authorityFile: The value of `ESPALIER_SMTP_CA_FILE`.
    package init(url: String, sender: String, authorityFile: String? = nil) throws(Refusal) {
        server = try MailServer(url: url)
        guard let sender = Sender(sender) else {
            throw Refusal(
                "ESPALIER_MAIL_FROM must be an address, or a name and an address: Acme <login@acme.example>. Write a domain with other "
                    + "letters in its xn-- form.")
        }
        self.sender = sender
        guard authorityFile == nil || server.protection != .none else {
            throw Refusal("ESPALIER_SMTP_CA_FILE has no effect, because ESPALIER_SMTP_URL has no TLS. Remove one of them.")
        }
        self.authorityFile = authorityFile
    }

    init(server: MailServer, sender: Sender, authorityFile: String?) {
        (self.server, self.sender, self.authorityFile) = (server, sender, authorityFile)
    }

    /// The name and address in `From`.
    struct Sender: Sendable {
        let name: String?
        let address: MailAddress

        /// Reads `address` or `name <address>`.
        init?(_ text: String) {
            let bytes = Array(text.utf8)
            guard bytes.last == UInt8(ascii: ">") else {
                guard let address = MailAddress(text) else { return nil }
                (self.name, self.address) = (nil, address)
                return
            }
            guard let start = bytes.lastIndex(of: UInt8(ascii: "<")),
                let address = MailAddress(String(decoding: bytes[(start + 1)...].dropLast(), as: UTF8.self))
            else { return nil }
            var name = String(decoding: bytes[..<start], as: UTF8.self).withoutBlanks
            if name.utf8.count >= 2, name.utf8.first == UInt8(ascii: "\""), name.utf8.last == UInt8(ascii: "\"") {
                name = Substring(name.utf8.dropFirst().dropLast())
            }
            guard name.isEmpty || DisplayName.refusal(of: String(name)) == nil else { return nil }
            (self.name, self.address) = (name.isEmpty ? nil : String(name), address)
        }

        /// As operators see it.
        var shown: String { name.map { "\($0) <\(address.address)>" } ?? address.address }
    }
}
