import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The addresses behind a name, by the system's resolver, which blocks: each look-up has a thread of its own. Whoever is cancelled
/// leaves the thread behind, which ends when the resolver gives up.
enum NameLookup {
    /// - Returns: literals, in the order in which the system would try them (RFC 6724); none when there is no such name.
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
            // A literal with a scope (`fe80::1%eth0`) is link-local, and no literal for anybody else.
            if getnameinfo(entry.pointee.ai_addr, entry.pointee.ai_addrlen, &text, length, nil, 0, NI_NUMERICHOST) == 0 {
                let literal = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                if !found.contains(literal) { found.append(literal) }
            }
            next = entry.pointee.ai_next
        }
        return found
    }
}
