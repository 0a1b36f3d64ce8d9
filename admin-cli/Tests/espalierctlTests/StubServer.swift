import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#endif

/// A server on 127.0.0.1 that sends the responses of a test and records the requests.
final class StubServer: Sendable {
    /// A response.
    struct Answer {
        var status = 200
        var headers = ["Content-Type": "application/json"]
        var body: String

        /// An error response of the REST API.
        static func problem(_ status: Int, _ body: String) -> Answer {
            Answer(status: status, headers: ["Content-Type": "application/problem+json"], body: body)
        }
    }

    /// A received request.
    struct Request {
        /// The request line and the headers.
        var head: String
        var body: String

        var method: String { String(head.prefix { $0 != " " }) }
        /// The path and the query.
        var target: String { String(head.drop { $0 != " " }.dropFirst().prefix { $0 != " " }) }
        var path: String { String(target.prefix { $0 != "?" }) }
        var call: String { "\(method) \(target)" }

        func header(_ name: String) -> String? {
            head.components(separatedBy: "\r\n").dropFirst().first { $0.lowercased().hasPrefix("\(name.lowercased()): ") }
                .map { String($0.dropFirst(name.count + 2)) }
        }
    }

    let port: UInt16
    private let listener: Int32
    private let asked = Mutex<[Request]>([])

    /// The requests so far.
    var received: [Request] { asked.withLock { $0 } }
    var requests: [String] { received.map(\.head) }
    var calls: [String] { received.map(\.call) }
    var baseURL: String { "http://127.0.0.1:\(port)" }

    /// Sends the same response to every request.
    convenience init(answering answer: Answer) throws {
        try self.init { _ in answer }
    }

    /// Starts the server.
    /// - Parameter respond: returns the response to a request. The calls are sequential.
    init(_ respond: @escaping @Sendable (Request) -> Answer) throws {
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
        Thread { [self] in serve(respond) }.start()
    }

    /// Stops the server and its thread.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func serve(_ respond: (Request) -> Answer) {
        while case let connection = accept(listener, nil, nil), connection >= 0 {
            guard let request = read(connection) else {
                close(connection)
                continue
            }
            asked.withLock { $0.append(request) }
            let answer = respond(request)
            let fields = answer.headers.map { "\($0): \($1)\r\n" }.joined()
            let reply = Array(
                "HTTP/1.1 \(answer.status) Status\r\n\(fields)Content-Length: \(answer.body.utf8.count)\r\nConnection: close\r\n\r\n\(answer.body)"
                    .utf8)
            send(connection, reply, reply.count, Int32(MSG_NOSIGNAL))
            close(connection)
        }
        close(listener)
    }

    private func read(_ connection: Int32) -> Request? {
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while case let count = recv(connection, &buffer, buffer.count, 0), count > 0 {
            text += String(decoding: buffer.prefix(count), as: UTF8.self)
            guard let end = text.range(of: "\r\n\r\n") else { continue }
            let request = Request(head: String(text[..<end.upperBound]), body: String(text[end.upperBound...]))
            if request.body.utf8.count >= Int(request.header("Content-Length") ?? "0") ?? 0 { return request }
        }
        return nil
    }
}
