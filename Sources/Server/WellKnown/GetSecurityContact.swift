import Encoding
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Web

extension WellKnown {
    /// `security.txt` (RFC 9116): the contact for reports of vulnerabilities, from `ESPALIER_SECURITY_CONTACT`. It contains nothing
    /// else, because the server does not know how the platform handles reports.
    @Sendable
    func getSecurityContact(_ request: Request, _ context: WebContext) async throws -> Response {
        guard let securityContact else {
            throw Problem(.notFound, "The platform has no contact for vulnerability reports. Set ESPALIER_SECURITY_CONTACT.")
        }
        // A copy is stale after 30 days. The response itself always uses the current setting.
        let expires = now().addingTimeInterval(30 * 86400).formatted(.iso8601)
        let text = """
            Contact: \(securityContact)
            Expires: \(expires)
            Canonical: \(publicURL)/.well-known/security.txt

            """
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/plain; charset=utf-8", .contentLength: "\(text.utf8.count)", .cacheControl: "public, max-age=86400",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    /// Returns the reason why a setting is not a contact; nil if it is one (RFC 9116, section 2.5.3: a web page must
    /// be https).
    static func refusal(ofContact text: String) -> String? {
        let isKnown = ["https://", "mailto:", "tel:"].contains { text.begins(with: $0) && text.utf8.count > $0.utf8.count }
        guard isKnown, text.utf8.count <= 500, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return "ESPALIER_SECURITY_CONTACT must be a URI that begins with https://, mailto: or tel:. It is \(text)." }
        return nil
    }
}
