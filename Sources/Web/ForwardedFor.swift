import NIOCore

/// `X-Forwarded-For`, read from its end: a proxy appends the address it was called from, and whatever stood there before may be
/// the caller's invention.
enum ForwardedFor {
    /// The address that the outermost of the trusted proxies was called from.
    ///
    /// It splits by byte. By `Character`, U+0600 at the end of what the caller sends swallows the comma of the first proxy.
    ///
    /// - Parameters:
    ///   - lines: the header's lines, in their order.
    ///   - proxies: how many proxies there are that append. With none, nothing is believed.
    /// - Returns: nil when that is not said, or is no IP address: then the connection's own address is all that is known.
    static func address(in lines: [String], behind proxies: Int) -> String? {
        guard proxies > 0 else { return nil }
        let entries = lines.flatMap { $0.parts(at: ",", keepingEmpty: true) }
        guard entries.count >= proxies else { return nil }
        let entry = entries[entries.count - proxies].withoutBlanks
        return normalized(entry) ?? withoutPort(entry).flatMap(normalized)
    }

    /// One spelling for one address; nil for anything else.
    private static func normalized(_ text: Substring) -> String? {
        guard text.utf8.count <= 45, text.isASCII, !text.utf8.contains(UInt8(ascii: "%")) else { return nil }
        return try? SocketAddress(ipAddress: String(text), port: 0).ipAddress
    }

    /// Some proxies write `192.0.2.1:4711` and `[2001:db8::1]:4711`. Nil for any other text in brackets.
    private static func withoutPort(_ text: Substring) -> Substring? {
        guard text.begins(with: "[") else { return text.parts(at: ":", atMost: 2, keepingEmpty: true)[0] }
        let parts = Substring(text.utf8.dropFirst()).parts(at: "]", atMost: 2, keepingEmpty: true)
        guard parts.count == 2, parts[1].isEmpty || parts[1].begins(with: ":") else { return nil }
        return parts[0]
    }
}
