import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A server as libpq's parameters name it. An empty text is libpq's default.
struct ServerAddress: Sendable, Hashable {
    /// The name or the folder of the socket. A certificate is compared with the name.
    var host: String
    /// The IP address. With it, libpq looks up no name.
    var address: String
    var port: String

    /// Combines the comma-separated lists of a URL, as libpq does.
    /// - Throws: `DatabaseError` of kind `.misuse` for lists of different lengths, a host that contains @, or a port that is not a number.
    static func list(hosts: String?, addresses: String?, ports: String?) throws -> [ServerAddress] {
        func split(_ list: String?) -> [String] {
            (list ?? "").utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { String(Substring($0)) }
        }
        let (hosts, addresses, ports) = (split(hosts), split(addresses), split(ports))
        let count = max(hosts.count, addresses.count)
        // One port is for all hosts.
        guard hosts == [""] || hosts.count == count, addresses == [""] || addresses.count == count,
            ports.count == 1 || ports.count == count
        else { throw DatabaseError(.misuse, "the database URL has \(count) hosts, and another number of addresses or ports") }
        // An @ of the password that is not escaped makes the rest of the password a part of the host. Errors name hosts.
        guard !hosts.contains(where: { $0.utf8.dropFirst().contains(UInt8(ascii: "@")) }) else {
            throw DatabaseError(.misuse, "the database URL has a host that contains @; write an @ of the user or the password as %40")
        }
        guard ports.allSatisfy({ $0.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }) else {
            throw DatabaseError(.misuse, "the database URL has a port that is not a number; write an @ or : of the password as %40 or %3A")
        }
        return (0..<count).map { index in
            ServerAddress(
                host: hosts.count == count ? hosts[index] : "", address: addresses.count == count ? addresses[index] : "",
                port: ports.count == count ? ports[index] : ports[0])
        }
    }

    /// Whether libpq would have to look up the name.
    private var needsLookUp: Bool {
        guard address.isEmpty, let first = host.utf8.first else { return false }
        // A folder, or a socket in the abstract namespace.
        return first != UInt8(ascii: "/") && first != UInt8(ascii: "@")
    }

    /// Returns the server with each of its addresses. The look-up may block another thread for longer than `limit`.
    /// - Throws: `DatabaseError` of kind `.connection`.
    @EventLoop
    func resolved(within limit: Duration) async throws -> [ServerAddress] {
        guard needsLookUp else { return [self] }
        if let numeric = try? Self.lookUp(host, AI_NUMERICHOST), let address = numeric.first { return [with(address)] }
        let found = Promise<Result<[String], DatabaseError>>()
        let timer = EventLoop.after(limit) {
            found.fulfill(.failure(DatabaseError(.connection, "\(host): no address within \(limit)")))
        }
        defer { timer.cancel() }
        let isOver = Flag()
        defer { isOver.raise() }
        Task { @EventLoop [host] in
            let answer = await Blocking.lookUps(of: host).run {
                // Without a name server, look-ups come faster than they fail. A look-up that nobody waits for must not delay the others.
                isOver.isRaised
                    ? .failure(DatabaseError(.connection, "cancelled")) : Result { () throws(DatabaseError) in try Self.lookUp(host, 0) }
            }
            found.fulfill(answer)
        }
        return try await withTaskCancellationHandler {
            try await found.wait().get().map(with)
        } onCancel: {
            Task { @EventLoop in found.fulfill(.failure(DatabaseError(.connection, "cancelled"))) }
        }
    }

    private func with(_ address: String) -> ServerAddress {
        ServerAddress(host: host, address: address, port: port)
    }

    private static func lookUp(_ host: String, _ flags: Int32) throws(DatabaseError) -> [String] {
        var hints = addrinfo()
        hints.ai_flags = flags
        // Otherwise, each address comes once for each kind of socket.
        #if canImport(Glibc)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
        hints.ai_socktype = SOCK_STREAM
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, nil, &hints, &list)
        guard status == 0 else { throw DatabaseError(.connection, "\(host): \(String(cString: gai_strerror(status)))") }
        defer { freeaddrinfo(list) }
        var addresses: [String] = []
        var next = list
        while let info = next {
            var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            if getnameinfo(info.pointee.ai_addr, info.pointee.ai_addrlen, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST) == 0 {
                addresses.append(String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
            }
            next = info.pointee.ai_next
        }
        guard !addresses.isEmpty else { throw DatabaseError(.connection, "\(host): no address") }
        return addresses
    }
}

/// A sign from one thread to another.
private final class Flag: Sendable {
    private let state = Atomic(false)

    var isRaised: Bool { state.load(ordering: .relaxed) }

    func raise() {
        state.store(true, ordering: .relaxed)
    }
}

extension ServerAddress: CustomStringConvertible {
    var description: String {
        [host.isEmpty ? address : host, port].filter { !$0.isEmpty }.joined(separator: ":")
    }
}
