import Delivery
import Encoding

/// Looks for the proof that a host belongs to a tenant: a TXT record, or a file at the host. Both contain the token of the domain.
///
/// Only the owner of a host can set one of them. Without this, a tenant could receive the sign-ins of another one.
package struct DomainProof: Sendable {
    /// The start of the name of the TXT record, before the host.
    static let recordPrefix = "_espalier."
    static let valuePrefix = "espalier-domain="
    /// The path of the file, at the host.
    static let path = "/.well-known/espalier-domain"
    /// How many bytes of the file are read.
    private static let longest = 1024
    /// How many bytes of a discovery document are read. This server's have about 3 KiB.
    private static let longestDocument = 65536
    private static let limit = Duration.seconds(10)

    private let dns: DNSClient
    private let allowsPrivate: Bool
    private let port: Int

    package enum Result: String, Encodable, Sendable {
        case found
        /// The host exists, or not, and has no proof.
        case missing
        /// No server gave an answer.
        case unknown
    }

    /// The result of a look, for each place.
    struct Findings: Sendable {
        let record, file: Result

        var result: Result {
            if record == .found || file == .found { return .found }
            // The record decides, even if no web server answers. A host without a file usually has no web server either, and another tenant
            // must be able to prove a host that is gone.
            return record
        }
    }

    /// The resolvers, for a log.
    var resolvers: String { dns.resolvers.map(\.description).joined(separator: ", ") }

    /// - Parameters:
    ///   - resolvers: the resolvers for all names, in the order in which they are asked.
    ///   - allowsPrivate: whether the host may be in a private network. For development.
    ///   - port: the port of the file. 80, except in tests.
    package init(resolvers: [ResolverAddress], allowsPrivate: Bool, port: Int = 80) {
        (dns, self.allowsPrivate, self.port) = (DNSClient(resolvers: resolvers), allowsPrivate, port)
    }

    /// Looks at both places.
    /// - Throws: `CancellationError`.
    func look(for domain: Domain) async throws -> Findings {
        async let record = record(of: domain)
        async let file = file(of: domain)
        return Findings(record: try await record, file: try await file)
    }

    /// The result alone. It reads the file only without the record, because the host usually leads to this server.
    /// - Throws: `CancellationError`.
    func result(for domain: Domain) async throws -> Result {
        let record = try await record(of: domain)
        return record == .found ? .found : Findings(record: record, file: try await file(of: domain)).result
    }

    /// Whether a host leads to this server: the discovery document there has the issuer of the domain.
    /// - Throws: `CancellationError`.
    func leadsHere(_ host: String, issuer: String) async throws -> Bool {
        let origin = port == 80 ? issuer : "http://\(host):\(port)"
        let outcome = try await OutgoingRequest(
            url: "\(origin)/.well-known/openid-configuration", headers: [("accept", "application/json")], body: nil,
            allowsPrivate: allowsPrivate, lookUp: { try await addresses(of: $0) }
        ).ask(within: Self.limit, reading: Self.longestDocument, of: 200..<201)
        guard case .status(200) = outcome.answer, case .object(let document)? = try? JSONValue(json: outcome.body) else { return false }
        return document["issuer"]?.text?.isSame(as: issuer) == true
    }

    private func record(of domain: Domain) async throws -> Result {
        try await look(for: Self.valuePrefix + domain.token, inRecord: Self.recordPrefix + domain.host)
    }

    /// Looks for a value among the TXT records of a name.
    /// - Throws: `CancellationError`.
    package func look(for value: String, inRecord name: String) async throws -> Result {
        do {
            return try await dns.records(.txt, of: name).contains(Array(value.utf8)) ? .found : .missing
        } catch is DNSClient.Failure {
            return .unknown
        }
    }

    /// The host itself, or with TLS: a load balancer of this server sends a browser without TLS elsewhere, and no redirect is followed.
    private func file(of domain: Domain) async throws -> Result {
        let plain = port == 80 ? "" : ":\(port)"
        let (result, isReachable) = try await file(of: domain, at: "http://\(domain.host)\(plain)\(Self.path)")
        guard result != .found, isReachable, port == 80 else { return result }
        let secure = try await file(of: domain, at: "https://\(domain.host)\(Self.path)").result
        return secure == .found || result == .unknown ? secure : result
    }

    /// - Returns: the result, and whether the host has an address that may be asked.
    private func file(of domain: Domain, at url: String) async throws -> (result: Result, isReachable: Bool) {
        let outcome = try await OutgoingRequest(
            url: url, headers: [("accept", "text/plain")], body: nil, allowsPrivate: allowsPrivate, allowsPlain: true,
            lookUp: { try await addresses(of: $0) }
        ).ask(within: Self.limit, reading: Self.longest, of: 200..<201)
        switch outcome.answer {
        case .status(200): return (isProof(outcome.body, of: domain) ? .found : .missing, true)
        case .status: return (.missing, true)
        case .failure(let failure): return (.unknown, failure != .nameNotResolved && failure != .addressRefused)
        }
    }

    /// A final line break is allowed, because editors add one.
    private func isProof(_ body: [UInt8], of domain: Domain) -> Bool {
        var text = body[...]
        while let last = text.last, [0x0A, 0x0D, 0x20].contains(last) { text = text.dropLast() }
        return text.elementsEqual(domain.token.utf8) || text.elementsEqual((Self.valuePrefix + domain.token).utf8)
    }

    private func addresses(of name: String) async throws -> [String] {
        async let v4 = literals(.a, of: name)
        async let v6 = literals(.aaaa, of: name)
        return try await v4 + v6
    }

    private func literals(_ kind: DNSMessage.Kind, of name: String) async throws -> [String] {
        do {
            return try await dns.records(kind, of: name).map { Self.literal($0) }
        } catch is DNSClient.Failure {
            return []
        }
    }

    /// An address in the form that `PublicAddress` reads.
    private static func literal(_ bytes: [UInt8]) -> String {
        guard bytes.count == 16 else { return bytes.map(String.init).joined(separator: ".") }
        return stride(from: 0, to: 16, by: 2)
            .map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }.joined(separator: ":")
    }
}
