package import Access
import Encoding
package import Foundation
package import Logging
package import Postgres
package import ServiceLifecycle
import Synchronization
import Tenancy
package import Web

/// The own hosts of all tenants, in memory. A request for any other host, or a question about a certificate, costs no statement.
///
/// A notification of a changed tenant reads its hosts again, with those that it has lost. A claim without a proof notifies nobody, and is not
/// here: otherwise a tenant could take another name of this server from the operator. Each time the process gets a new connection for
/// notifications, it reads everything again. While it has none, it reads everything every few seconds, because the caches of tenants are
/// fresh then.
package final class HostTable: Service, Sendable {
    /// The place to which a host leads.
    package enum Place: Sendable, Equatable {
        /// The whole server: its own host, and all that no tenant has proved.
        case publicURL
        case tenant(OwnHost)
        /// A host that a tenant has proved, and that does not serve it any longer. The domain may be deleted.
        case nobody
    }

    private struct State {
        /// The proved domains of each tenant.
        var domains: [UUID: [Entry]] = [:]
        /// The hosts of deleted domains.
        var lost: Set<String> = []
        /// The place of each host. Nil before the first read.
        var hosts: [String: Place]?
        /// The owners whose hosts may have changed, and whether all may have.
        var changed: Set<UUID> = []
        var isAllChanged = true
        /// Whether notifications arrive. Not before the first connection for them, which can fail.
        var isFresh = false
        /// The number of the last read that started, and of the newest one whose result is here.
        var (started, applied) = (0, 0)
        var first: Task<Void, any Error>?
        /// The wait for the next read, if nothing reports a change.
        var timer: Task<Void, Never>?

        /// Another tenant may have a host that a tenant has lost.
        mutating func index() {
            var all = Dictionary(lost.map { ($0, Place.nobody) }) { $1 }
            for entry in domains.values.joined() where entry.serves || all[entry.domain.host] == nil {
                all[entry.domain.host] = entry.serves ? .tenant(OwnHost(name: entry.domain.host, slug: entry.slug)) : .nobody
            }
            hosts = all
        }
    }

    private struct Entry {
        let domain: ServingHost
        let slug: String
        let owner: UUID
        let serves: Bool

        init(_ row: Row) throws {
            domain = try ServingHost(row)
            slug = try row.get("slug")
            owner = try row.get("tenant_id")
            serves = try row.get("serves")
        }
    }

    /// The time between two reads without notifications, and after a failure.
    private static let (pause, pauseAfterFailure) = (Duration.seconds(3), Duration.seconds(1))

    private let database: PlatformDatabase
    private let logger: Logger
    private let state = Mutex(State())
    private let (changes, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    /// The host of the server's public URL, and the same with its port.
    private let publicHost: String?
    private let publicAuthority: Substring

    package init(database: PlatformDatabase, publicURL: String, logger: Logger) {
        (self.database, self.logger) = (database.repeatable, logger)
        publicAuthority = publicURL.parts(at: "/").dropFirst().first ?? ""
        publicHost = HostName.inURL(publicURL).flatMap { HostName.name(in: $0) }
        // Nothing reports a change until the process gets a connection for notifications.
        signal.yield()
    }

    /// - Parameter authority: the `Host` header.
    /// - Throws: `DatabaseError` if the table could not be read yet.
    package func find(_ authority: String?) async throws -> Place {
        guard let authority, !authority.isSame(as: publicAuthority) else { return .publicURL }
        let known = state.withLock { $0.hosts }
        guard known?.isEmpty != true, let name = HostName.name(in: authority), publicHost?.isSame(as: name) != true
        else { return .publicURL }
        let hosts = if let known { known } else { try await firstRead() }
        // The keys are ASCII, and so is the name.
        return hosts[name] ?? .publicURL
    }

    /// Whether a host may have a certificate: the server's own, or one that serves a tenant.
    package func serves(_ name: String) async throws -> Bool {
        if publicHost?.isSame(as: name) == true { return true }
        if case .tenant = try await find(name) { return true }
        return false
    }

    /// The addresses of a tenant, as far as this process has read them.
    package func addresses(of owner: UUID) -> TenantAddresses {
        TenantAddresses(serving: state.withLock { $0.domains[owner] ?? [] }.filter(\.serves).map(\.domain))
    }

    /// Requests at the start of the process wait for one read.
    private func firstRead() async throws -> [String: Place] {
        let read = state.withLock { state in
            if let running = state.first { return running }
            let task = Task { try await self.read() }
            state.first = task
            return task
        }
        defer { state.withLock { $0.first = nil } }
        try await read.value
        return state.withLock { $0.hosts ?? [:] }
    }

    // MARK: Changes

    package func forget(_ owner: UUID) {
        state.withLock { state in
            if owner == .platform { state.isAllChanged = true } else { _ = state.changed.insert(owner) }
        }
        signal.yield()
    }

    /// - Parameter isFresh: whether notifications arrive.
    package func forgetAll(isFresh: Bool) {
        state.withLock { ($0.isAllChanged, $0.isFresh) = (true, isFresh) }
        signal.yield()
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            for await _ in self.changes {
                var pause: Duration?
                do {
                    try await self.read()
                    // Without notifications, everything may change until the next read.
                    self.state.withLock { state in
                        guard !state.isFresh else { return }
                        (state.isAllChanged, pause) = (true, Self.pause)
                    }
                } catch {
                    guard !Task.isCancelled else { break }
                    self.logger.warning("the tenants' own hosts could not be read; trying again", metadata: ["cause": "\(error)"])
                    pause = Self.pauseAfterFailure
                }
                if let pause { self.readAgain(after: pause) }
            }
        }
    }

    /// Reads again later. A change that is reported before does not wait.
    private func readAgain(after pause: Duration) {
        let timer = Task { [signal] in
            guard (try? await Task.sleep(for: pause)) != nil else { return }
            signal.yield()
        }
        state.withLock { state in
            state.timer?.cancel()
            state.timer = timer
        }
    }

    /// Reads what has changed. A change during the read stays noted for the next one.
    /// - Parameter everything: whether everything is read, even if nothing has changed or another read of the changes is in progress.
    package func read(everything: Bool = false) async throws {
        let (isAll, owners, number) = state.withLock { state in
            state.started += 1
            let taken = (everything || state.isAllChanged || state.hosts == nil, Array(state.changed), state.started)
            (state.isAllChanged, state.changed) = (false, [])
            return taken
        }
        guard isAll || !owners.isEmpty else { return }
        do {
            let (proved, lost) =
                try await isAll
                ? database.run(Domain.proved, Domain.lostHosts)
                : database.run(Domain.proved(by: owners), Domain.lostHosts(by: owners))
            let (rows, hosts) = (try proved.map(Entry.init), try lost.map { try $0.get("host", as: String.self) })
            let isOutrun = state.withLock { state in
                // A later read has ended before, and nobody knows which rows are newer.
                guard number > state.applied else {
                    state.isAllChanged = true
                    return true
                }
                state.applied = number
                if isAll { (state.domains, state.lost) = ([:], []) } else { for owner in owners { state.domains[owner] = nil } }
                for entry in rows { state.domains[entry.owner, default: []].append(entry) }
                state.lost.formUnion(hosts)
                state.index()
                return false
            }
            if isOutrun { signal.yield() }
        } catch {
            state.withLock { state in
                state.isAllChanged = state.isAllChanged || isAll
                state.changed.formUnion(owners)
            }
            throw error
        }
    }
}

extension Domain {
    /// The hosts that tenants have proved, and whether they serve them. A deleted tenant may be restored. Until its purge, its hosts receive
    /// Apple's notifications, and nothing else serves it.
    fileprivate static var proved: SQL {
        """
        SELECT d.host, d.tenant_id, d.is_primary, d.is_exclusive, d.proved_since, t.slug,
            d.state IN ('active', 'failing') AND t.status IN ('active', 'suspended', 'deleted') AS serves
        FROM domain d JOIN (\(part: Tenant.names)) AS t ON t.id = d.tenant_id
        WHERE d.state IN ('active', 'failing', 'inactive') ORDER BY d.is_primary DESC, d.id
        """
    }

    /// A tenant adds up to `mostLost` in 30 days.
    fileprivate static var lostHosts: SQL { "SELECT host FROM lost_host WHERE tenant_id = \(UUID.platform)" }

    /// The process may never have known a host that was proved and deleted between two reads.
    fileprivate static func lostHosts(by owners: [UUID]) -> SQL {
        "SELECT host FROM lost_host WHERE tenant_id = \(UUID.platform) AND lost_by = ANY(\(owners))"
    }

    fileprivate static func proved(by owners: [UUID]) -> SQL {
        """
        SELECT d.host, d.tenant_id, d.is_primary, d.is_exclusive, d.proved_since, t.slug,
            d.state IN ('active', 'failing') AND t.status IN ('active', 'suspended', 'deleted') AS serves
        FROM domain d JOIN (\(part: Tenant.names)) AS t ON t.id = d.tenant_id
        WHERE d.tenant_id = ANY(\(owners)) AND d.state IN ('active', 'failing', 'inactive') ORDER BY d.is_primary DESC, d.id
        """
    }
}
