import Encoding
import Sealing
import Web

/// A mail server, as `smtp://user:password@host:port` or `smtps://…` names it.
package struct MailServer: Sendable {
    /// The protection of a connection.
    package enum Protection: String, Encodable, Sendable {
        /// The connection starts without TLS, and changes to TLS before anything else.
        case startTLS = "starttls"
        /// The connection starts with TLS.
        case implicitTLS = "implicit"
        /// Only on this machine.
        case none
    }

    struct Credentials: Sendable {
        let user, password: Secret
    }

    /// A name or an address, without the brackets of a URL.
    let host: String
    let port: Int
    let protection: Protection
    let credentials: Credentials?

    init(host: String, port: Int, protection: Protection, credentials: Credentials?) {
        (self.host, self.port, self.protection, self.credentials) = (host, port, protection, credentials)
    }

    private static let form = "ESPALIER_SMTP_URL must be smtp://user:password@host:port or smtps://user:password@host:port."

    /// - Throws: `Refusal`, which shows no part of the URL.
    init(url: String) throws(MailSettings.Refusal) {
        let bytes = Array(url.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else { throw .init(Self.form) }
        let scheme = String(decoding: bytes[..<colon], as: UTF8.self).asciiLowercased
        guard scheme.isSame(as: "smtp") || scheme.isSame(as: "smtps") else { throw .init(Self.form) }
        let isImplicit = scheme.isSame(as: "smtps")
        let authority = bytes[(colon + 3)...].prefix { $0 != UInt8(ascii: "/") }
        guard bytes[authority.endIndex...].count <= 1 else { throw .init("\(Self.form) It must not have a path.") }
        let parts = authority.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count <= 2 else { throw .init("ESPALIER_SMTP_URL: write an @ in the user or password as %40.") }
        guard let place = parts.last, !place.contains(where: { "?#\\".utf8.contains($0) }) else { throw .init(Self.form) }
        (host, port) = try Self.address(place, port: isImplicit ? 465 : 587)
        credentials = try parts.count == 2 ? Self.credentials(parts[0]) : nil
        protection = isImplicit ? .implicitTLS : Self.isLoopback(host) ? .none : .startTLS
    }

    private static func address(_ bytes: ArraySlice<UInt8>, port usual: Int) throws(MailSettings.Refusal) -> (host: String, port: Int) {
        // The colons of an IPv6 address are inside the brackets.
        let end = bytes.lastIndex(of: UInt8(ascii: "]")) ?? bytes.startIndex
        let colon = bytes[end...].lastIndex(of: UInt8(ascii: ":"))
        let host = String(decoding: bytes[..<(colon ?? bytes.endIndex)], as: UTF8.self)
        guard HostName.isHost(host) else { throw .init("ESPALIER_SMTP_URL must name a host: \(form)") }
        var port = usual
        if let colon {
            let digits = bytes[(colon + 1)...]
            guard (1...5).contains(digits.count), digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
                let number = Int(String(decoding: digits, as: UTF8.self)), (1...65_535).contains(number)
            else { throw .init("ESPALIER_SMTP_URL must have a port from 1 to 65535.") }
            port = number
        }
        let isBracketed = host.utf8.first == UInt8(ascii: "[")
        return (isBracketed ? String(Substring(host.utf8.dropFirst().dropLast())) : host.asciiLowercased, port)
    }

    private static func credentials(_ bytes: ArraySlice<UInt8>) throws(MailSettings.Refusal) -> Credentials {
        let parts = bytes.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let user = decoded(parts[0]), let password = decoded(parts[1]), !user.isEmpty, !password.isEmpty else {
            throw .init(
                "ESPALIER_SMTP_URL must have a user and a password before the @, or neither. Write special characters as % and two digits.")
        }
        return Credentials(user: Secret(bytes: user), password: Secret(bytes: password))
    }

    /// Decodes percent-encoded bytes; nil for an incomplete one, for control characters, which end a command, and for more than 255 bytes.
    private static func decoded(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        var (result, rest) = ([UInt8](), bytes)
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                result.append(byte)
                continue
            }
            guard let high = rest.popFirst()?.hexDigitValue, let low = rest.popFirst()?.hexDigitValue else { return nil }
            result.append(high << 4 | low)
        }
        guard result.count <= 255, result.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }), String(validating: result, as: UTF8.self) != nil
        else { return nil }
        return result
    }

    private static func isLoopback(_ host: String) -> Bool {
        ["localhost", "127.0.0.1", "::1"].has(host)
    }
}
