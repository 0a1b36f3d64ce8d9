import Foundation

/// A certificate authority of a test. openssl signs its certificates.
package struct CertificateAuthority: Sendable {
    private let folder: TemporaryFolder

    /// The path of its own certificate.
    package var certificate: String { path("authority.pem") }

    package init() async throws {
        folder = try TemporaryFolder()
        try await make("authority", ["-subj", "/CN=Test authority"])
    }

    /// Signs a certificate for the name or the IPv4 address of a host.
    /// - Returns: The paths of the certificate and of its private key.
    package func sign(_ host: String) async throws -> (certificate: String, key: String) {
        let parent = ["-CA", certificate, "-CAkey", path("authority.key")]
        let kind = host.utf8.allSatisfy { $0 == UInt8(ascii: ".") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? "IP" : "DNS"
        try await make(host, ["-subj", "/CN=\(host)", "-addext", "subjectAltName=\(kind):\(host)"] + parent)
        return (path("\(host).pem"), path("\(host).key"))
    }

    private func path(_ name: String) -> String { folder.url.appending(path: name).path(percentEncoded: false) }

    private func make(_ name: String, _ options: [String]) async throws {
        let exit = try await Program.run(
            [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                "-out", path("\(name).pem"), "-keyout", path("\(name).key"),
            ] + options, of: URL(filePath: "/usr/bin/env"))
        guard exit.code == 0 else { throw ServedPlatform.CommandFailed(exit: exit) }
    }
}
