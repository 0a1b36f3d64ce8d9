package import Hummingbird
package import Web

/// What a session began on, for its user to recognise: the browser's or the application's own word, which proves nothing, and the
/// address that the request came from.
package struct Device: Sendable, Equatable {
    let userAgent: String?
    let address: String?

    /// Of a user agent so many characters are kept: it travels in the authorization code.
    static let longestUserAgent = 200

    package init(userAgent: String? = nil, address: String? = nil) {
        let printable = userAgent.map { text in String(text.unicodeScalars.filter { (0x20..<0x7F).contains($0.value) }) }
        self.userAgent = printable.flatMap { $0.isEmpty ? nil : String($0.prefix(Self.longestUserAgent)) }
        self.address = address
    }

    package init(_ request: Request, _ context: some RecordedContext) {
        self.init(userAgent: request.headers[.userAgent], address: context.record.current.address)
    }
}
