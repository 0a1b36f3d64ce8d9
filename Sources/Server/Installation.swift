package import APIs
package import Access
import Accounts
package import Apple
import AsyncHTTPClient
import AuthKit
import Billing
import Branding
import ClientKeys
import Delivery
import Devices
package import Domains
import Foundation
import Hummingbird
import Ledger
package import Logging
package import Mail
import Outbox
import Pages
import People
import PeopleSSO
package import Postgres
import Sealing
package import ServiceLifecycle
import Sessions
import SignIn
import Signing
import Sinks
import Synchronization
package import Tenancy
import Terminal
import Users
package import Web

/// The values of a running server, created once from its settings, and the services that run them.
package struct Installation: Sendable {
    package let pools: DatabasePools
    package let metrics: Metrics
    /// All routes of the public port.
    package let routes: [(method: String, path: String, action: String)]
    /// The cached tenants. For tests that change tenants without the API and do not wait for the notification.
    package let directory: TenantDirectory
    package let apis: APIDirectory
    /// The own hosts of tenants.
    package let hosts: HostTable
    /// Nil if this server sends no mails.
    package let mail: MailSender?
    /// Purges deleted tenants after their grace time.
    package let purge: PurgeTenants
    /// The daily doctor, and the other automatic tasks of connections.
    package let connectionUpkeep: ConnectionUpkeep
    /// The daily look for the proofs of domains, and the end of claims.
    package let domainUpkeep: DomainUpkeep
    private let watch: ConfigurationWatch
    private let outbox: OutboxWorker
    private let mails: OutboxWorker
    private let pruneWebhooks: PruneWebhooks
    /// Records the last use of each key.
    package let lastUsed: LastUsed
    private let recurring: [any Service]
    private let application: any Service
    private let operations: any Service
    private let http: HTTPClient
    /// For tests that check its load.
    package let apple: AppleClient

    /// - Parameters:
    ///   - migrator: Knows the schema that this version requires, for `/readyz`.
    ///   - onListening: Called once with the public port, when it and the operations port accept requests.
    package init(
        _ settings: Settings, migrator: Migrator, logger: Logger, onListening: @escaping @Sendable (_ port: Int) -> Void = { _ in }
    ) throws {
        precondition(settings.keyring.hasDigestKeys, "InstalledKeys.open must come first")
        let now: @Sendable () -> Date = { Date() }
        let metrics = Metrics()
        let pools = try DatabasePools(settings, logger: logger)
        // The background work, unless another pool is named.
        let pool = pools.background
        let http = AppleClient.makeHTTP(AppleClient.httpConfiguration(for: settings.apple))
        let directory = TenantDirectory(
            database: PlatformDatabase(pools.logins, for: .readConfiguration), keyring: settings.keyring, brands: Branding.ofTenants,
            domains: Domain.ofTenants)
        let hosts = HostTable(
            database: PlatformDatabase(pool, for: .readHosts), publicURL: settings.publicURL, logger: logger)
        let callers = Callers(database: PlatformDatabase(pools.administration, for: .findCaller), keyring: settings.keyring)
        let people = PersonCallers(
            database: PlatformDatabase(pools.administration, for: .findPerson), keyring: settings.keyring,
            requiring: RequiredProviders.find)
        let lastUsed = LastUsed(
            database: PlatformDatabase(pool, for: .saveLastUses),
            kinds: [(APIKey.self, APIKey.noteUses), (AppleKey.self, AppleKey.noteUses), (PersonSession.self, PersonSession.noteUses)],
            logger: logger)
        let limits = RequestLimits(perMinute: settings.apiRequestsPerMinute, changesPerMinute: settings.apiChangesPerMinute)
        let signingKeys = SigningKeys(pool: pools.logins, keyring: settings.keyring, now: now)
        let apis = APIDirectory(pool: pools.logins)
        let apple = AppleClient(settings.apple, http: http, logger: logger)
        connectionUpkeep = ConnectionUpkeep(
            database: PlatformDatabase(pool, for: .maintainConnections), keyring: settings.keyring, apple: apple, logger: logger, now: now)
        let proof = DomainProof(
            resolvers: settings.dnsResolvers, allowsPrivate: settings.allowsPrivateWebhooks, port: settings.domainFilePort)
        domainUpkeep = DomainUpkeep(
            database: PlatformDatabase(pool, for: .maintainDomains), proof: proof, publicURL: settings.publicURL, logger: logger, now: now)
        let mail = try settings.mail.map { try MailSender($0) }
        let routes = Routes(
            settings, pools: pools, directory: directory, callers: callers, limits: limits, lastUsed: lastUsed, signingKeys: signingKeys,
            apis: apis, hosts: hosts, proof: proof, apple: apple, mail: mail, metrics: metrics, logger: logger, now: now)
        let router = makeRouter(
            routes,
            api: APIEntrance(
                authenticate: Authenticate(
                    callers: callers, findPerson: { try await people.find(secret: $0, within: $1, $2, at: $3) }, limits: limits,
                    lastUsed: lastUsed,
                    findTenant: { try await directory.find(idOrSlug: $0)?.tenant },
                    forgetTenant: { tenant in
                        directory.forget(tenant)
                        people.forget(tenant ?? .platform)
                    },
                    forgetPerson: { people.forget($0.uuid) }, now: now),
                idempotency: Idempotency(pool: pools.administration, keyring: settings.keyring, logger: logger, now: now)),
            limits: limits)
        let table = router.table
        let responder = PublicResponder(
            routes: table,
            edge: Edge(
                logger: logger, metrics: metrics, trustedProxies: settings.trustedProxies, largestBodies: BrandingRoutes.largestBodies,
                allowedMethods: { path, host in table.methods(PublicResponder.path(path, at: host)) },
                isOutage: { ($0 as? DatabaseError)?.isOutage == true }, page: { $0.page(for: $1, requestID: $2) }),
            crossOrigin: CrossOrigin(directory: directory, limits: limits), directory: directory, hosts: hosts)
        let sessionJobs = SessionJobs(
            pool: pool, signingKeys: signingKeys, directory: directory, publicURL: settings.publicURL,
            allowsPrivate: settings.allowsPrivateWebhooks, logger: logger)
        let accountJobs = AccountJobs(
            pool: pool, keyring: settings.keyring, apple: apple, metrics: metrics, logger: logger, now: now)
        let billingJobs = BillingJobs(
            pool: pools.bulk, grace: TimeInterval(settings.usageGrace), simulatesClock: settings.simulatesClock, logger: logger, now: now)
        let sinkJobs = SinkJobs(
            pool: pool, keyring: settings.keyring, allowsPrivate: settings.allowsPrivateWebhooks,
            settling: TimeInterval(settings.usageSettlesAfter), logger: logger, now: now)
        let mailJobs = MailJobs(
            pool: pool, tenants: Tenant.statuses, keyring: settings.keyring, sender: mail, metrics: metrics, logger: logger, now: now)
        (self.pools, self.http, self.apple, self.metrics, self.lastUsed, self.directory, self.apis, self.hosts, self.mail) = (
            pools, http, apple, metrics, lastUsed, directory, apis, hosts, mail
        )
        purge = PurgeTenants(database: PlatformDatabase(pools.purges, for: .purgeTenants), logger: logger, now: now)
        recurring =
            [
                Recurring(.forgetOldRequests, every: .seconds(600), in: pool, logger: logger) { database in
                    try await IdempotentRequest.forgetOld(in: database, at: now())
                },
                Recurring(.noteMasterKey, every: .seconds(KnownMasterKey.noteInterval), in: pool, logger: logger) { database in
                    _ = try await database.run(KnownMasterKey.note(settings.keyring))
                },
                Recurring(.bindDigests, every: .seconds(60), in: pool, logger: logger) { database in
                    guard settings.keyring.acceptsUnboundDigests(at: now()) else { return }
                    try await UnboundDigests.bind(with: settings.keyring, in: database)
                },
                Recurring(.reportExpiringKeys, every: .seconds(3600), in: pool, logger: logger) { database in
                    try await NotifyExpiringKeys(database: database).pass(at: now())
                },
                Recurring(.rotateSigningKeys, every: .seconds(600), in: pool, logger: logger) { database in
                    try await DueSigningKeys(database: database, keyring: settings.keyring, logger: logger).rotate()
                },
                Recurring(.forgetUsedTokens, every: .seconds(600), in: pool, logger: logger) { database in
                    try await SingleUses.forgetOld(in: database, at: now())
                },
            ] + TransferJobs(pool: pool, logger: logger, now: now).passes + sessionJobs.passes
            + DeviceJobs(pool: pool, logger: logger, now: now).passes + accountJobs.passes + billingJobs.passes
            + sinkJobs.passes + mailJobs.passes + PeopleJobs(pool: pool, logger: logger, now: now).passes
            + TerminalJobs(pool: pool, logger: logger, now: now).passes
            + SSODomainJobs(pool: pool, proof: proof, logger: logger, now: now).passes
        self.routes = router.actions.map { ($0.method.rawValue, $0.path, $0.name) }
        watch = ConfigurationWatch(
            pool: pool, logger: logger,
            forget: { owner in
                directory.forget(owner)
                hosts.forget(owner)
                callers.forget(owner)
                people.forget(owner)
                signingKeys.forget(owner)
                apis.forget(owner)
            },
            forgetAll: { isFresh in
                directory.forgetAll(isFresh: isFresh)
                hosts.forgetAll(isFresh: isFresh)
                callers.forgetAll(isFresh: isFresh)
                people.forgetAll(isFresh: isFresh)
                signingKeys.forgetAll(isFresh: isFresh)
                apis.forgetAll(isFresh: isFresh)
            })
        let deliverWebhook = DeliverWebhook(
            databases: OwnerDatabases(pool), keyring: settings.keyring, allowsPrivate: settings.allowsPrivateWebhooks,
            workOSBody: WorkOSDelivery.body)
        let allOwners = PlatformDatabase.prelude(for: .runOutbox)
        outbox = OutboxWorker(
            pool: pool, prelude: allOwners,
            handlers: [sessionJobs.outboxHandlers, accountJobs.outboxHandlers, sinkJobs.outboxHandlers]
                .reduce([WebhookEvent.outboxKind: deliverWebhook.handle]) { $0.merging($1) { $1 } },
            configuration: .init(concurrency: settings.outboxConcurrency), logger: logger, now: now)
        mails = mailJobs.worker(prelude: allOwners, concurrency: settings.outboxConcurrency)
        pruneWebhooks = PruneWebhooks(database: PlatformDatabase(pool, for: .pruneWebhooks), logger: logger, now: now)
        let publicPort = Mutex(settings.port)
        let arrivals = Arrivals(expecting: 2) { onListening(publicPort.withLock { $0 }) }
        application = GuardedServer(
            responder, host: settings.host, port: settings.port, limits: settings.connections, metrics: metrics, logger: logger
        ) { port in
            publicPort.withLock { $0 = port }
            arrivals.arrive()
        }
        operations = makeOperations(
            settings, pools: pools, metrics: metrics,
            isSchemaUsable: {
                if case .behind = try await migrator.status(of: pools.logins) { false } else { true }
            }, onListening: arrivals.arrive, logger: logger)
    }

    /// Makes the health checks fail, and ends each connection after its next response. The public port still accepts connections.
    package func announceStop() {
        metrics.connections.end()
    }

    /// The services in the order in which they start. They stop in the reverse order: the public port stops first and
    /// finishes its requests, the database stops last.
    package var services: [any Service] { services(withPasses: true) }

    /// - Parameter withPasses: Whether the periodic passes run. A test that runs these passes itself disables them, because on a
    ///   busy machine the test may take so long that an automatic pass runs too.
    package func services(withPasses: Bool) -> [any Service] {
        let passes: [any Service] = withPasses ? [purge, connectionUpkeep, domainUpkeep, pruneWebhooks] + recurring : []
        return [HTTPClientLifetime(http: http)] + pools.services + [hosts, watch, lastUsed] + passes
            + [outbox, mails, operations, application]
    }
}

/// Shuts the HTTP client down after all of its users have stopped.
private struct HTTPClientLifetime: Service {
    let http: HTTPClient

    func run() async throws {
        try? await gracefulShutdown()
        try await http.shutdown()
    }
}
