import Encoding
import HTTPTypes
import HummingbirdCore
import NIOHTTP1

extension HTTPRequest {
    /// The request of a head that the parser has read.
    init(_ head: HTTPRequestHead) {
        self.init(method: HTTPRequest.Method(head.method), scheme: "http", authority: nil, path: Self.path(of: head.uri))
        var fields = HTTPFields()
        fields.reserveCapacity(head.headers.count)
        for (name, value) in head.headers {
            guard let name = HTTPField.Name(name) else { continue }
            // The guard has rejected a second Host.
            if authority == nil, name.canonicalName == "host" {
                authority = value
            } else {
                fields.append(HTTPField(name: name, value: value))
            }
        }
        headerFields = fields
    }

    /// The host and the port in an absolute URI (RFC 9112, section 3.2.2). Nil for a target without a host.
    static func authority(of target: String) -> Substring? {
        let bytes = target.utf8
        guard bytes.first != UInt8(ascii: "/") else { return nil }
        for scheme in ["http://", "https://"] where Substring(bytes.prefix(scheme.utf8.count)).asciiLowercased.isSame(as: scheme) {
            let rest = bytes.dropFirst(scheme.utf8.count)
            return Substring(rest.prefix { !"/?#".utf8.contains($0) })
        }
        return nil
    }

    /// The path and the query of a request target (RFC 9112, section 3.2). An absolute URI loses its scheme and its host.
    private static func path(of target: String) -> String {
        let bytes = target.utf8
        guard bytes.first != UInt8(ascii: "/") else { return target }
        for scheme in ["http://", "https://"] where bytes.count >= scheme.utf8.count {
            // A scheme may be in upper case. 0x20 is the difference of two letters.
            let isSame = { (given: UInt8, byte: UInt8) in given == byte || byte >= UInt8(ascii: "a") && given | 0x20 == byte }
            guard bytes.prefix(scheme.utf8.count).elementsEqual(scheme.utf8, by: isSame) else { continue }
            let rest = bytes.dropFirst(scheme.utf8.count)
            guard let start = rest.firstIndex(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }) else { return "/" }
            let path = String(target[start...])
            return rest[start] == UInt8(ascii: "?") ? "/" + path : path
        }
        return target
    }
}

extension HTTPRequest.Method {
    fileprivate init(_ method: HTTPMethod) {
        switch method {
        case .GET: self = .get
        case .POST: self = .post
        case .HEAD: self = .head
        case .PUT: self = .put
        case .PATCH: self = .patch
        case .DELETE: self = .delete
        case .OPTIONS: self = .options
        // The parser accepts only the methods that it knows.
        default: self = HTTPRequest.Method(method.rawValue)!
        }
    }
}
