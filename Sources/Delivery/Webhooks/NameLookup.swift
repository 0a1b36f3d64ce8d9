import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Looks up the addresses of a name with the system's resolver.
///
/// The resolver blocks, so each look-up has its own thread. The thread of a canceled look-up ends when the resolver gives up.
enum NameLookup {
    /// Looks up a name.
    /// - Returns: address literals, in the order in which the system would try them (RFC 6724). Empty if the name does not exist.
    /// - Throws: `CancellationError`.
    static func addresses(of name: String) async throws -> [String] {
        let (answers, answer) = AsyncStream.makeStream(of: [String].self)
        Thread.detachNewThread {
            answer.yield(ask(name))
            answer.finish()
        }
        for await addresses in answers { return addresses }
        throw CancellationError()
    }

    private static func ask(_ name: String) -> [String] {
        var hints = addrinfo()
        hints.ai_flags = AI_ADDRCONFIG
        #if canImport(Glibc)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
        hints.ai_socktype = SOCK_STREAM
        #endif
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(name, nil, &hints, &first) == 0 else { return [] }
        defer { freeaddrinfo(first) }
        var found: [String] = []
        var next = first
        while let entry = next {
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let length = socklen_t(text.count)
            // A literal with a scope (`fe80::1%eth0`) is link-local. It is not a literal anywhere else.
            if getnameinfo(entry.pointee.ai_addr, entry.pointee.ai_addrlen, &text, length, nil, 0, NI_NUMERICHOST) == 0 {
                let literal = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                if !found.contains(literal) { found.append(literal) }
            }
            next = entry.pointee.ai_next
        }
        return found
    }
}
