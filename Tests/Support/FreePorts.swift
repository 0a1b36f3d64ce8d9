import Foundation
import Synchronization

/// Ports of 127.0.0.1 for programs with fixed ports.
package enum FreePorts {
    /// They are below the kernel's range for outgoing connections. So a free port stays free while a server is down,
    /// which a test of restarts needs.
    private static let range = 10_000..<32_000
    private static let given = Mutex<Set<Int>>([])

    /// Returns the first of several consecutive free ports. None of them is returned again in this process.
    package static func take(_ count: Int = 1) -> Int {
        while true {
            let first = Int.random(in: range.lowerBound..<range.upperBound - count)
            let ports = first..<first + count
            guard given.withLock({ $0.isDisjoint(with: ports) }), ports.allSatisfy(isFree) else { continue }
            given.withLock { $0.formUnion(ports) }
            return first
        }
    }

    /// Whether a server could listen there.
    package static func isFree(_ port: Int) -> Bool {
        withSocket(port) { descriptor, address, length in
            var reuse: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
            return bind(descriptor, address, length) == 0
        }
    }

    /// Whether a server accepts new connections there.
    package static func isListening(_ port: Int) -> Bool {
        withSocket(port) { descriptor, address, length in connect(descriptor, address, length) == 0 }
    }

    private static func withSocket(_ port: Int, _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Bool) -> Bool {
        #if os(Linux)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }
}
