import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#endif

/// A server on 127.0.0.1 that gives every request the same answer and remembers what was asked.
final class StubServer: Sendable {
    /// What it answers.
    struct Answer {
        var status = 200
        var headers = ["Content-Type": "application/json"]
        var body: String

        /// A refusal of the REST API.
        static func problem(_ status: Int, _ body: String) -> Answer {
            Answer(status: status, headers: ["Content-Type": "application/problem+json"], body: body)
        }
    }

    let port: UInt16
    private let listener: Int32
    private let heads = Mutex<[String]>([])

    /// The first lines and headers of the requests so far.
    var requests: [String] { heads.withLock { $0 } }
    var baseURL: String { "http://127.0.0.1:\(port)" }

    init(answering answer: Answer) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 8) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
        Thread { [self] in serve(answer) }.start()
    }

    /// Ends the listening; its thread ends with it.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func serve(_ answer: Answer) {
        while case let connection = accept(listener, nil, nil), connection >= 0 {
            var head = ""
            var buffer = [UInt8](repeating: 0, count: 4096)
            while !head.contains("\r\n\r\n"), case let count = recv(connection, &buffer, buffer.count, 0), count > 0 {
                head += String(decoding: buffer.prefix(count), as: UTF8.self)
            }
            heads.withLock { $0.append(head) }
            let fields = answer.headers.map { "\($0): \($1)\r\n" }.joined()
            let reply = Array(
                "HTTP/1.1 \(answer.status) Status\r\n\(fields)Content-Length: \(answer.body.utf8.count)\r\nConnection: close\r\n\r\n\(answer.body)"
                    .utf8)
            send(connection, reply, reply.count, Int32(MSG_NOSIGNAL))
            close(connection)
        }
        close(listener)
    }
}
