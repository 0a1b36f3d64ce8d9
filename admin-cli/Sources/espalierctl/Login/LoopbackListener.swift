import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// A port on 127.0.0.1 that receives the response of a login from the browser (RFC 8252).
///
/// Browsers open connections in advance, so several connections are read at once. Each has a limit, because other programs of this machine
/// can also connect.
final class LoopbackListener {
    private struct Connection {
        var descriptor: Int32
        var head: [UInt8] = []
    }

    private static let mostConnections = 16
    private static let longestHead = 16 * 1024

    let port: UInt16
    private let listener: Int32
    private var connections: [Connection] = []

    init() throws(Failure) {
        #if canImport(Darwin)
        let listener = socket(AF_INET, SOCK_STREAM, 0)
        #else
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        _ = fcntl(listener, F_SETFD, FD_CLOEXEC)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 8) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard listener >= 0, isListening else {
            throw Failure(
                status: .failure, detail: "No port on 127.0.0.1 is available: \(String(cString: strerror(errno))).",
                nextStep: "Log in with a code: espalierctl login --no-browser")
        }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit {
        for connection in connections { close(connection.descriptor) }
        close(listener)
    }

    /// Responds to requests until one of them has the outcome of the login.
    /// - Returns: nil after the time is over.
    func outcome(state: String, issuer: String, seconds: Double) -> CallbackOutcome? {
        let end = ContinuousClock.now + .seconds(seconds)
        while .now < end {
            var places = [pollfd(fd: listener, events: Int16(POLLIN), revents: 0)]
            places += connections.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
            guard poll(&places, nfds_t(places.count), 500) > 0 else { continue }
            var kept: [Connection] = []
            var outcome: CallbackOutcome?
            for (place, connection) in zip(places.dropFirst(), connections) {
                guard outcome == nil, place.revents != 0 else {
                    kept.append(connection)
                    continue
                }
                let found = read(connection)
                if let connection = found.waiting { kept.append(connection) }
                guard let head = found.head else { continue }
                let answer = CallbackOutcome(CallbackRequest(head: head), port: port, state: state, issuer: issuer)
                Self.respond(answer, connection.descriptor)
                if case .ignored = answer { continue }
                outcome = answer
            }
            connections = kept
            if let outcome { return outcome }
            if places[0].revents != 0 { accept() }
        }
        return nil
    }

    private func accept() {
        let descriptor = Foundation.accept(listener, nil, nil)
        guard descriptor >= 0 else { return }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        // The oldest connection makes room for the newest.
        if connections.count == Self.mostConnections { close(connections.removeFirst().descriptor) }
        connections.append(Connection(descriptor: descriptor))
    }

    /// Reads from a connection that has bytes.
    /// - Returns: the connection if the head is not complete, or the complete head.
    private func read(_ connection: Connection) -> (waiting: Connection?, head: [UInt8]?) {
        var connection = connection
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(connection.descriptor, &buffer, buffer.count, 0)
        connection.head += buffer.prefix(max(0, count))
        if let end = connection.head.firstRange(of: Array("\r\n\r\n".utf8)) { return (nil, Array(connection.head[..<end.lowerBound])) }
        guard count > 0, connection.head.count < Self.longestHead else {
            close(connection.descriptor)
            return (nil, nil)
        }
        return (connection, nil)
    }

    /// Sends the page and closes the connection. No text of the request is on the page.
    private static func respond(_ outcome: CallbackOutcome, _ descriptor: Int32) {
        let page = outcome.page
        let body = """
            <!DOCTYPE html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">\
            <meta name="color-scheme" content="light dark"><title>\(page.title)</title><h1>\(page.title)</h1><p>\(page.text)</p></html>
            """
        let head = [
            "HTTP/1.1 \(page.status) \(page.status == 200 ? "OK" : "Refused")", "Content-Type: text/html; charset=utf-8",
            "Content-Length: \(body.utf8.count)", "Cache-Control: no-store", "Content-Security-Policy: default-src 'none'",
            "Referrer-Policy: no-referrer", "X-Content-Type-Options: nosniff", "Connection: close",
        ]
        let bytes = Array((head.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
        #if canImport(Darwin)
        let flags: Int32 = 0
        var isOn: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
        #else
        let flags = Int32(MSG_NOSIGNAL)
        #endif
        send(descriptor, bytes, bytes.count, flags)
        close(descriptor)
    }
}
