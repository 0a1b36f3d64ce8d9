import Foundation

/// A request that a browser sends to the loopback port.
struct CallbackRequest: Equatable {
    /// The path without the query.
    let path: String
    /// The fields of the query.
    let query: [String: String]
    let host: String?

    /// Reads the head of a GET request. Nil for anything else, including a query with two fields of the same name.
    /// - Parameter head: the bytes up to the empty line.
    init?(head: [UInt8]) {
        guard let text = String(validating: head, as: UTF8.self) else { return nil }
        let lines = text.parts(at: "\n").map { $0.utf8.last == UInt8(ascii: "\r") ? Substring($0.utf8.dropLast()) : $0 }
        let words = lines[0].parts(at: " ")
        guard words.count == 3, words[0].isSame(as: "GET"), words[2].utf8.starts(with: "HTTP/1.".utf8),
            words[1].utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        let target = words[1].utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        path = String(Substring(target[0]))
        var query: [String: String] = [:]
        for part in target.count == 2 ? Substring(target[1]).parts(at: "&") : [] where !part.isEmpty {
            let pair = part.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(pair[0]), let value = Self.decoded(pair.count == 2 ? pair[1] : "".utf8[...]),
                query.updateValue(value, forKey: name) == nil
            else { return nil }
        }
        self.query = query
        let hosts = lines.dropFirst().compactMap { line -> String? in
            let pair = line.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
            // The bit 0x20 makes an ASCII letter small.
            guard pair.count == 2, pair[0].elementsEqual("host".utf8, by: { $0 | 0x20 == $1 }) else { return nil }
            return String(Substring(pair[1].drop { $0 == 0x20 || $0 == 0x09 }))
        }
        guard hosts.count <= 1 else { return nil }
        host = hosts.first
    }

    /// The text of a part of the query. Nil if an escape or the UTF-8 is invalid.
    private static func decoded(_ part: Substring.UTF8View) -> String? {
        var bytes: [UInt8] = []
        var rest = part[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(0x20)
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(hexDigit), let low = rest.popFirst().flatMap(hexDigit) else { return nil }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

/// The outcome of a request at the loopback port.
enum CallbackOutcome: Equatable {
    /// The request has nothing to do with this login. The login continues to wait.
    case ignored(status: Int, text: String)
    case code(String)
    /// The server or the person refused.
    case refused(String)

    /// - Parameters:
    ///   - port: the loopback port of this login.
    ///   - state: the random text of this login. A request without it is from another page, and must not end the login.
    ///   - issuer: the expected issuer (RFC 9207).
    init(_ request: CallbackRequest?, port: UInt16, state: String, issuer: String) {
        guard let request, request.host?.isSame(as: "127.0.0.1:\(port)") == true else {
            self = .ignored(status: 400, text: "espalierctl cannot read this request.")
            return
        }
        guard request.path.isSame(as: "/callback") else {
            self = .ignored(status: 404, text: "espalierctl has no such page.")
            return
        }
        guard let given = request.query["state"], given.isSame(as: state) else {
            self = .ignored(
                status: 400, text: "This address belongs to another login. Return to the page of the login that is in progress.")
            return
        }
        guard let named = request.query["iss"], named.isSame(as: issuer) else {
            let found = request.query["iss"].map { "names the issuer \($0.prefix(200))" } ?? "names no issuer"
            self = .refused("The response \(found). It must name \(issuer).")
            return
        }
        if let error = request.query["error"] {
            self = .refused(request.query["error_description"] ?? "The login was refused (\(error)).")
        } else if let code = request.query["code"], !code.isEmpty {
            self = .code(code)
        } else {
            self = .refused("The response of the server has no code.")
        }
    }

    /// The response to the browser.
    var page: (status: Int, title: String, text: String) {
        switch self {
        case .ignored(let status, let text): (status, "espalierctl", text)
        case .code: (200, "Login received", "You can close this window and return to the terminal.")
        case .refused: (200, "Login refused", "Nobody is logged in. You can close this window and return to the terminal.")
        }
    }
}
