package import Hummingbird
package import Web

/// The device on which a session started, for the user to recognize. It has the address of the request, and the user agent, which proves
/// nothing because the browser or the application states it.
package struct Device: Sendable, Equatable {
    package let userAgent: String?
    package let address: String?

    /// How many bytes of a user agent are stored. The authorization code contains it.
    static let longestUserAgent = 200

    package init(userAgent: String? = nil, address: String? = nil) {
        let printable = userAgent.map { text in text.utf8.filter { (0x20..<0x7F).contains($0) }.prefix(Self.longestUserAgent) }
        self.userAgent = printable.flatMap { $0.isEmpty ? nil : String(decoding: $0, as: UTF8.self) }
        self.address = address
    }

    package init(_ request: Request, _ context: some RecordedContext) {
        self.init(userAgent: request.headers[.userAgent], address: context.record.current.address)
    }
}
