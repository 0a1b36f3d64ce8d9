import Foundation

/// The four ports of `espalier-dev dev`, one after another.
struct DevPorts: Sendable {
    let server: Int

    init(first: Int) {
        server = first
    }

    var operations: Int { server + 1 }
    var simulator: Int { server + 2 }
    var demo: Int { server + 3 }

    var baseURL: String { "http://localhost:\(server)" }
    var operationsURL: String { "http://localhost:\(operations)" }
    var simulatorURL: String { "http://localhost:\(simulator)" }
    var demoURL: String { "http://localhost:\(demo)" }
    /// The page of caught mails, on the port of the demo application.
    var mailURL: String { "\(demoURL)/mail" }

    struct Busy: Error, CustomStringConvertible {
        let port: Int
        var description: String { "Port \(port) is in use. Choose other ports: --port is the first of four in a row." }
    }

    /// Checked before anything starts, so that a busy port is reported at once.
    func requireFree() throws {
        for port in [server, operations, simulator, demo] where !Self.isFree(port) { throw Busy(port: port) }
    }

    private static func isFree(_ port: Int) -> Bool {
        #if os(Linux)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var reuse: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
                == 0
        }
    }
}
