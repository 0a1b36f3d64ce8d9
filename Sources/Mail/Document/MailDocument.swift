import Encoding
import Foundation

/// A mail in the form of RFC 5322 and MIME: a text and an HTML document with the same content. Each attempt to send a mail has the same
/// `Message-ID`, so that a recipient's server may recognize a second copy.
struct MailDocument {
    let message: Mail.Message
    let sender: MailSettings.Sender
    let id: UUID
    let now: Date

    /// Its lines end with CRLF. Only `To` may have bytes outside of ASCII, if the address has them.
    var bytes: [UInt8] {
        let name = id.uuidString
        let boundary = "=_\(name)"
        let address = sender.address.text
        var text = """
            From: \(sender.name.map { "\(HeaderText.phrase($0, in: "From"))\r\n <\(address)>" } ?? address)
            To: \(message.recipient.text)
            Subject: \(HeaderText.unstructured(message.subject, in: "Subject"))
            Date: \(Self.date(now))
            Message-ID: <\(name)@\(sender.address.domain)>
            Auto-Submitted: auto-generated
            MIME-Version: 1.0
            Content-Type: multipart/alternative;
             boundary="\(boundary)"

            """.withLineEnds
        for (type, content) in [("plain", message.text), ("html", message.html)] {
            text +=
                """

                --\(boundary)
                Content-Type: text/\(type); charset=utf-8
                Content-Transfer-Encoding: quoted-printable


                """.withLineEnds
            text += QuotedPrintable.encode(content)
        }
        return text + "\r\n--\(boundary)--\r\n".utf8
    }

    /// `Thu, 26 Nov 2026 14:00:00 +0000` (RFC 5322, section 3.3).
    private static func date(_ now: Date) -> String {
        let text = HTTPDate.text(Int(now.timeIntervalSince1970))
        return String(Substring(text.utf8.dropLast(3))) + "+0000"
    }
}

extension String {
    /// The bytes with CRLF at the end of each line.
    fileprivate var withLineEnds: [UInt8] {
        var (bytes, last) = ([UInt8](), UInt8(0))
        for byte in utf8 {
            if byte == 0x0A, last != 0x0D { bytes.append(0x0D) }
            bytes.append(byte)
            last = byte
        }
        return bytes
    }
}
