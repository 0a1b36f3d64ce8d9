import Configuration
import Postgres

/// The protection that a connection to PostgreSQL on another machine needs. Connections on this machine need none.
///
/// libpq's own default is `sslmode=prefer`: it accepts any certificate, and even plain text if the other side has no TLS. An attacker
/// between the two would see all data, and could change it.
package enum DatabaseTLS: String, Sendable, CaseIterable {
    /// TLS with a certificate of a known authority for the host's name.
    case verifyFull = "verify-full"
    /// Any `sslmode`. The risk is the operator's.
    case unverified

    /// - Throws: `Settings.Refusal`
    init(_ reader: ConfigReader) throws {
        guard let text = reader.string(forKey: "database.tls"), !text.isEmpty else {
            self = .verifyFull
            return
        }
        guard let value = Self.allCases.first(where: { $0.rawValue.utf8.elementsEqual(text.utf8) }) else {
            throw Settings.Refusal(description: "ESPALIER_DATABASE_TLS must be verify-full or unverified. It is \(text).")
        }
        self = value
    }

    /// Rejects a URL whose connections are less protected.
    ///
    /// The error shows no part of the URL, because a password with an unescaped @ becomes a part of the host.
    /// - Parameter name: The setting with the URL.
    /// - Throws: `Settings.Refusal`
    func check(_ url: String, _ name: String) throws {
        guard let servers = try? DatabaseServers(url: url) else {
            throw Settings.Refusal(description: "\(name) must be a database URL or a list of values that libpq can parse.")
        }
        guard self == .verifyFull, !servers.remote.isEmpty, !servers.isVerified else { return }
        throw Settings.Refusal(
            description: """
                \(name) has a server on another machine without sslmode=verify-full. Add sslmode=verify-full and \
                sslrootcert=FILE, the file with the certificate of the server's authority. If another layer protects the connection, set \
                ESPALIER_DATABASE_TLS=unverified.
                """)
    }
}
