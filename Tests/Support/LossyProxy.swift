import Foundation
import Synchronization

/// A proxy in front of PostgreSQL that can lose one answer: PostgreSQL executes a request, and the connection ends before the caller
/// receives the result.
package final class LossyProxy: Sendable {
    package let port: Int
    private let listener: Int32
    private let target: sockaddr_un
    /// The bytes that the answer to lose contains.
    private let marker = Mutex<[UInt8]?>(nil)
    private let losses = Mutex(0)

    /// - Parameter socket: the path of PostgreSQL's socket.
    package init(socket path: String) {
        var target = sockaddr_un()
        target.sun_family = sa_family_t(AF_UNIX)
        precondition(path.utf8.count < MemoryLayout.size(ofValue: target.sun_path))
        withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: path.utf8) }
        self.target = target
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                precondition(
                    bind(listener, pointer, length) == 0 && listen(listener, 64) == 0 && getsockname(listener, pointer, &length) == 0)
            }
        }
        self.listener = listener
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [self] in accept() }
    }

    /// Loses the next answer that contains this text.
    package func loseNext(_ text: String) {
        marker.withLock { $0 = Array(text.utf8) }
    }

    /// The number of answers lost.
    package var lost: Int { losses.withLock { $0 } }

    /// Accepts no more connections.
    package func close() {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func accept() {
        while true {
            let client = Glibc.accept(listener, nil, nil)
            guard client >= 0 else { break }
            let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            let isConnected = withUnsafePointer(to: target) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(server, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
                }
            }
            guard isConnected else {
                for end in [client, server] { Glibc.close(end) }
                continue
            }
            let pair = Pair()
            Thread.detachNewThread { [self] in pump(from: client, to: server, pair) { _ in .pass } }
            Thread.detachNewThread { [self] in
                var isLosing = false
                pump(from: server, to: client, pair) { bytes in
                    isLosing = isLosing || takes(bytes)
                    guard isLosing else { return .pass }
                    // ReadyForQuery: the transaction is over.
                    return bytes.suffix(6).starts(with: [UInt8(ascii: "Z"), 0, 0, 0, 5]) ? .lose : .hold
                }
            }
        }
        Glibc.close(listener)
    }

    /// The two directions of a connection. The last one to end closes both sockets.
    private final class Pair: Sendable {
        let open = Mutex(2)
    }

    private enum Verdict {
        case pass, hold, lose
    }

    private func takes(_ bytes: [UInt8]) -> Bool {
        marker.withLock { marker in
            guard let wanted = marker, bytes.indices.contains(where: { bytes[$0...].starts(with: wanted) }) else { return false }
            marker = nil
            return true
        }
    }

    /// - Parameter judge: decides about the bytes that were not passed on yet.
    private func pump(from source: Int32, to sink: Int32, _ pair: Pair, _ judge: ([UInt8]) -> Verdict) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var held: [UInt8] = []
        reading: while true {
            let count = read(source, &buffer, buffer.count)
            guard count > 0 else { break }
            held += buffer.prefix(count)
            switch judge(held) {
            case .pass:
                if held.withUnsafeBytes({ write(sink, $0.baseAddress, $0.count) }) != held.count { break reading }
                held = []
            case .hold: break
            case .lose:
                losses.withLock { $0 += 1 }
                break reading
            }
        }
        for end in [source, sink] { shutdown(end, Int32(SHUT_RDWR)) }
        let isLast = pair.open.withLock { open in
            open -= 1
            return open == 0
        }
        if isLast { for end in [source, sink] { Glibc.close(end) } }
    }
}
