import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Sealing

/// Scalars that join with the separator next to them into one `Character`.
let joiningScalars = ["\u{600}", "\u{301}", "\u{200D}"]

/// A sent text with something before it, after it, and inside of it. A sealed text and a MAC have one form.
func spoiled(_ text: String) -> [String] {
    let middle = text.index(text.startIndex, offsetBy: text.count / 2)
    return (joiningScalars + [" ", "=", "A", "\0"]).flatMap {
        [$0 + text, text + $0, text[..<middle] + $0 + text[middle...]]
    }
}

extension Keyring {
    /// The keys of a new installation.
    static func make(_ digestKeys: [DigestKey] = [.generate(start: Date(timeIntervalSince1970: 0))]) throws -> Keyring {
        try Keyring([.generate()]).with(digestKeys, at: Date())
    }
}

extension Request {
    /// A request with a header `Cookie`.
    static func with(cookie: String) -> Request {
        var head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/account")
        head.headerFields[.cookie] = cookie
        return Request(head: head, body: RequestBody(buffer: ByteBuffer()))
    }
}
