import Foundation
import Glibc

/// A listening socket whose queue is full. Further connections get no answer, as with a host that drops all packets.
package final class BlackHole: Sendable {
    package let port: Int
    private let sockets: [Int32]

    /// - Parameter port: A free port, or 0 for any.
    package init(port: Int = 0) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                precondition(
                    bind(listener, pointer, length) == 0 && listen(listener, 0) == 0 && getsockname(listener, pointer, &length) == 0)
            }
        }
        self.port = Int(UInt16(bigEndian: address.sin_port))
        // The queue holds one connection more than its length. The others wait for a place.
        let callers = (0..<4).map { _ in
            let caller = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
            withUnsafePointer(to: address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = connect(caller, $0, length) }
            }
            return caller
        }
        sockets = [listener] + callers
    }

    /// The connections that wait for an answer, those of the hole itself included.
    package func attempts() -> Int {
        // Line by line, because Foundation ends after the first page of a file without a size.
        let file = fopen("/proc/net/tcp", "r")!
        defer { fclose(file) }
        var (line, capacity) = (nil as UnsafeMutablePointer<CChar>?, 0)
        defer { free(line) }
        // The remote address and the state SYN_SENT (proc_net_tcp(5)).
        let attempt = " 0100007F:\(String(format: "%04X", port)) 02 "
        var count = 0
        while getline(&line, &capacity, file) > 0 { if String(cString: line!).contains(attempt) { count += 1 } }
        return count
    }

    deinit {
        for socket in sockets { close(socket) }
    }
}
