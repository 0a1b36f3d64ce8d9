import Encoding
package import Foundation
import Web

/// The addresses of a tenant: the one below the server's public URL, and its own domains.
package struct TenantAddresses: Sendable, Equatable {
    /// The tenant's own hosts that serve it now.
    package var hosts: [String]
    /// The one of them that the tenant prefers.
    package var primary: String?
    /// Whether the address below the public URL is switched off.
    package var isExclusive: Bool
    /// The time from which each look has found the proof of a host. A host whose last look found none is missing.
    private let proofs: [String: Date]
    /// The own host that the request in progress uses. Nil for the public URL.
    package fileprivate(set) var current: String?

    package init(hosts: [String] = [], primary: String? = nil, isExclusive: Bool = false, proofs: [String: Date] = [:]) {
        (self.hosts, self.primary, self.proofs) = (hosts, primary, proofs)
        // A tenant without another address keeps the first one.
        self.isExclusive = isExclusive && primary != nil
    }

    /// The addresses of a tenant for a request that arrived at one of them. Nil if it does not serve the tenant.
    /// - Parameter host: an own host; nil for the public URL.
    package func reached(at host: String?) -> TenantAddresses? {
        guard serves(host) else { return nil }
        var reached = self
        reached.current = host
        return reached
    }

    /// Whether an address serves the tenant.
    /// - Parameter host: an own host; nil for the public URL.
    package func serves(_ host: String?) -> Bool { host.map { hosts.has($0) } ?? !isExclusive }

    /// Whether the last look at an own host found no proof. Somebody else may own the host.
    package func isFailing(_ host: String) -> Bool { proofs[host] == nil }

    /// Whether browsers stay signed in at the address of the request in progress. Not at a failing host, because browsers send its cookies
    /// to its owner, who could use them here.
    package var allowsBrowserSessions: Bool { current.map { !isFailing($0) } ?? true }

    /// The time from which each look has found the proof of the own host of the request in progress. Another owner may know earlier cookies
    /// of the host.
    package var provedSince: Date? { current.flatMap { proofs[$0] } }

    /// Whether the request in progress uses this address.
    /// - Parameter host: an own host; nil for the public URL.
    package func isCurrent(_ host: String?) -> Bool {
        guard let host, let current else { return host == nil && current == nil }
        return host.isSame(as: current)
    }

    /// The own host for an application that got its last tokens at an address. If this address is gone, the application must know another
    /// one of the tenant. Nil for the public URL.
    /// - Parameter earlier: an own host; nil for the public URL.
    package func host(after earlier: String?) -> String? {
        serves(earlier) ? earlier : primary
    }

    /// A tenant's issuer identifier (RFC 8414, section 2) at one of its addresses.
    /// - Parameters:
    ///   - host: an own host; nil for the public URL.
    ///   - publicURL: where browsers reach this server, without a slash at its end.
    package static func issuer(of slug: String, at host: String?, publicURL: String) -> String {
        host.map { HostName.origin(of: $0, like: publicURL) } ?? "\(publicURL)/t/\(slug)"
    }
}

extension Tenant {
    /// The path of its pages and endpoints at the address of the request in progress.
    package var path: String { addresses.current == nil ? "/t/\(slug)" : "" }
}
