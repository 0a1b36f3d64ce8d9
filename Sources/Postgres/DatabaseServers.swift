import CLibPQ
import Foundation

/// The servers to which libpq connects with a URL, and the protection of these connections.
package struct DatabaseServers: Sendable, Equatable {
    /// The hosts and addresses on other machines. An address of loopback, `localhost` and the path of a socket are on this machine.
    package let remote: [String]
    /// Whether libpq uses TLS and requires a certificate of a known authority for the name of the host (`sslmode=verify-full`).
    package let isVerified: Bool

    /// Reads a URL as libpq does: what it does not contain comes from the service file, from the environment (`PGHOST`, `PGSSLMODE`) and
    /// from libpq's defaults. It opens no connection.
    /// - Throws: `DatabaseError` of kind `.misuse` for a URL that libpq cannot parse, or for an unknown service.
    package init(url: String) throws {
        let values = try Self.values(of: url)
        let (hosts, addresses) = (Self.list(values["host"]), Self.list(values["hostaddr"]))
        remote = (0..<max(hosts.count, addresses.count)).compactMap { index in
            let address = index < addresses.count ? addresses[index] : ""
            // libpq connects to the address if there is one. The name is then only compared with the certificate.
            let server = address.isEmpty && index < hosts.count ? hosts[index] : address
            return Self.isLocal(server) ? nil : server
        }
        isVerified = values["sslmode"].map { $0.utf8.elementsEqual("verify-full".utf8) } ?? false
    }

    /// libpq fills in all values before it connects. A last, invalid value makes it stop there.
    static func values(of url: String) throws -> [String: String] {
        // Otherwise, libpq takes a text that is neither a URL nor a list of values as the name of a database.
        guard let parsed = PQconninfoParse(url, nil) else { throw DatabaseError(.misuse, "libpq cannot parse the database URL") }
        PQconninfoFree(parsed)
        var keywords = Self.copies(["dbname", "channel_binding"])
        var given = Self.copies([url, "none"])
        defer { for string in keywords + given { free(UnsafeMutablePointer(mutating: string)) } }
        let link = PQconnectStartParams(&keywords, &given, 1)
        defer { PQfinish(link) }
        guard let options = PQconninfo(link) else { throw DatabaseError(.connection, "out of memory") }
        defer { PQconninfoFree(options) }
        var values: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        // It always has a default. Without it, libpq stopped before the values were complete.
        guard values["sslmode"] != nil else { throw DatabaseError(.misuse, "libpq cannot resolve the database URL") }
        return values
    }

    /// Copies for C, which the caller frees.
    private static func copies(_ texts: [String]) -> [UnsafePointer<CChar>?] {
        texts.map { UnsafePointer(strdup($0)) } + [nil]
    }

    private static func list(_ text: String?) -> [String] {
        (text ?? "").utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func isLocal(_ server: String) -> Bool {
        guard let first = server.utf8.first else {
            // libpq's default is the socket of this machine.
            return true
        }
        if first == UInt8(ascii: "/") || first == UInt8(ascii: "@") { return true }
        if server.utf8.elementsEqual("localhost".utf8) { return true }
        // Only the usual form counts. libpq also accepts others, such as 127.1.
        var (four, six) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, server, &four) == 1 { return withUnsafeBytes(of: four) { $0[0] == 127 } }
        guard inet_pton(AF_INET6, server, &six) == 1 else { return false }
        return withUnsafeBytes(of: six) { $0.dropLast().allSatisfy { $0 == 0 } && $0[15] == 1 }
    }
}
