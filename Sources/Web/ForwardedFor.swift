import Encoding
import NIOCore

/// `X-Forwarded-For`, read from its end. A proxy appends the address of its caller. The caller may have invented the addresses
/// before it.
enum ForwardedFor {
    /// The address of the caller of the outermost trusted proxy.
    ///
    /// It splits by byte. By `Character`, U+0600 at the end of the caller's value would hide the comma of the first proxy.
    ///
    /// - Parameters:
    /// - lines: The lines of the header, in their order.
    /// - proxies: The number of proxies that append an address. With 0, the header is ignored.
    /// - Returns: Nil if the address is missing or is not an IP address. Then only the connection's own address is known.
    static func address(in lines: [String], behind proxies: Int) -> String? {
        guard proxies > 0 else { return nil }
        let entries = lines.flatMap { $0.parts(at: ",", includingEmpty: true) }
        guard entries.count >= proxies else { return nil }
        let entry = entries[entries.count - proxies].withoutBlanks
        return normalized(entry) ?? withoutPort(entry).flatMap(normalized)
    }

    /// Returns the one spelling of an address; nil for anything else.
    private static func normalized(_ text: Substring) -> String? {
        guard text.utf8.count <= 45, text.isASCII, !text.utf8.contains(UInt8(ascii: "%")) else { return nil }
        return try? SocketAddress(ipAddress: String(text), port: 0).ipAddress
    }

    /// Removes the port, because some proxies write `192.0.2.1:4711` and `[2001:db8::1]:4711`. Nil for any other text
    /// in brackets.
    private static func withoutPort(_ text: Substring) -> Substring? {
        guard text.begins(with: "[") else { return text.parts(at: ":", atMost: 2, includingEmpty: true)[0] }
        let parts = Substring(text.utf8.dropFirst()).parts(at: "]", atMost: 2, includingEmpty: true)
        guard parts.count == 2, parts[1].isEmpty || parts[1].begins(with: ":") else { return nil }
        return parts[0]
    }
}
