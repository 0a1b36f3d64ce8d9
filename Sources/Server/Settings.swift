package import Apple
import Billing
import Configuration
package import Domains
import Foundation
import Ledger
package import Logging
package import Mail
import NIOCore
package import Sealing
import SystemPackage
import Tenancy
package import Web

/// All settings, read once at the start. docs/settings.md lists them.
///
/// A key `espalier.public.url` is `ESPALIER_PUBLIC_URL` in the environment and `{"espalier": {"public": {"url": …}}}`
/// in the file that `ESPALIER_CONFIG_FILE` names. The environment takes precedence.
package struct Settings: Sendable {
    /// The URL at which browsers and Apple reach this server, without a trailing slash.
    package var publicURL: String
    package var host: String
    package var port: Int
    /// The address for `/healthz`, `/readyz` and `/metrics`. It must not be public.
    package var operationsHost: String
    package var operationsPort: Int
    /// For the role `espalier_server`.
    package var databaseURL: String
    /// The protection of connections to PostgreSQL on another machine.
    package var databaseTLS: DatabaseTLS
    /// The maximum number of database connections of this process, by kind of work.
    package var databaseConnections: DatabaseConnections
    /// The master keys. `InstalledKeys.open` adds the digest keys of the database before the process serves or seeds.
    package var keyring: Keyring
    package var apple: AppleSettings
    /// Whether webhooks may use private networks and plain http. For development.
    package var allowsPrivateWebhooks: Bool
    /// Whether `espalier usage close` accepts another time as now, and months close by this process's clock alone. For development.
    package var simulatesClock: Bool
    /// The seconds after a login within which its event may become visible. Exports end before this time, and usage is reported as
    /// complete up to it.
    package var usageSettlesAfter: Int
    /// The seconds between the end of a month and its closing. Late events before the closing still belong to the
    /// month.
    package var usageGrace: Int
    /// Whether a public page shows the prices of the plans.
    package var showsPricing: Bool
    /// The tenant and the application through which people sign in with Apple; nil without them.
    package var platformApplication: (tenant: String, clientID: String)?
    /// The contact for reports of vulnerabilities of this installation, as a URI; nil without a contact.
    package var securityContact: String?
    /// The maximum number of concurrent outbox handlers in this process. With 0, it leaves all work to others.
    package var outboxConcurrency: Int
    /// The mail server; nil without one. Then no feature sends mails.
    package var mail: MailSettings?
    package var logLevel: Logger.Level
    /// The maximum number of calls of one API key per minute and process.
    package var apiRequestsPerMinute: Int
    /// The maximum number of changes of one tenant per minute and process, for all of its API keys together.
    package var apiChangesPerMinute: Int
    /// The limits of connections to the public port.
    package var connections: ConnectionLimits
    /// The seconds between a signal to stop and the end of the public port. Health checks fail in this time.
    package var shutdownDelay: Int
    /// The number of proxies in front of this server that append to `X-Forwarded-For`. With 0, the header is ignored.
    package var trustedProxies: Int
    /// The resolvers for the proofs of domains, in the order in which they are asked.
    package var dnsResolvers: [ResolverAddress]
    /// The port of the file that proves a domain. Another one only in tests.
    package var domainFilePort = 80

    /// 30 days, in seconds, so that a month closes before the next one ends.
    private static let longestGrace = 2_592_000

    /// A missing, weak or contradictory setting. The text names the setting and the next step.
    package struct Refusal: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) {
            self.description = description
        }
    }

    static func reader() async throws -> ConfigReader {
        let environment = EnvironmentVariablesProvider(
            secretsSpecifier: .dynamic { name, _ in
                ["ESPALIER_MASTER_KEYS", "ESPALIER_DATABASE_URL", "ESPALIER_MIGRATION_DATABASE_URL", "ESPALIER_SMTP_URL"].contains(name)
            })
        guard let file = ProcessInfo.processInfo.environment["ESPALIER_CONFIG_FILE"] else { return ConfigReader(provider: environment) }
        do {
            return ConfigReader(providers: [environment, try await FileProvider<JSONSnapshot>(filePath: FilePath(file))])
        } catch {
            throw Refusal(description: "ESPALIER_CONFIG_FILE must name a JSON file: \(error)")
        }
    }

    package init(environment: [String: String]) throws {
        try self.init(ConfigReader(provider: EnvironmentVariablesProvider(environmentVariables: environment)))
    }

    init(_ reader: ConfigReader) throws {
        let reader = reader.scoped(to: "espalier")
        publicURL = try Self.required(reader, "public.url", "the URL for browsers and Apple, such as https://login.example.com")
        databaseURL = try Self.required(reader, "database.url", "a PostgreSQL URL for the role espalier_server", isSecret: true)
        databaseTLS = try DatabaseTLS(reader)
        keyring = try Self.keyring(reader)
        host = reader.string(forKey: "host", default: "127.0.0.1")
        port = try Self.number(reader, "port", default: 8080)
        operationsHost = reader.string(forKey: "operations.host", default: "127.0.0.1")
        operationsPort = try Self.number(reader, "operations.port", default: 8081)
        databaseConnections = DatabaseConnections(
            logins: try Self.number(reader, "database.connections", default: 8),
            administration: try Self.number(reader, "database.administration.connections", default: 4),
            exports: try Self.number(reader, "database.export.connections", default: 1),
            bulk: try Self.number(reader, "database.bulk.connections", default: 3),
            background: try Self.number(reader, "database.background.connections", default: 4))
        apple = AppleSettings(
            baseURL: reader.string(forKey: "apple.base.url", default: "https://appleid.apple.com"),
            issuers: reader.stringArray(forKey: "apple.issuers", default: ["https://appleid.apple.com", "https://account.apple.com"]),
            audience: reader.string(forKey: "apple.audience", default: "https://appleid.apple.com"),
            timeout: .seconds(try Self.number(reader, "apple.timeout", default: 10)),
            concurrency: try Self.number(reader, "apple.concurrency", default: 512))
        allowsPrivateWebhooks = try Self.flag(reader, "webhooks.allow.private")
        simulatesClock = try Self.flag(reader, "simulated.clock")
        usageSettlesAfter = try Self.number(reader, "usage.settles.after", default: Int(RollUp.delay))
        // If it were shorter than a login's transaction, an export could leave out an event that no later export
        // contains.
        let shortest = simulatesClock ? 0 : 60
        guard usageSettlesAfter >= shortest
        else { throw Refusal(description: "ESPALIER_USAGE_SETTLES_AFTER must be \(shortest) or more, in seconds.") }
        usageGrace = try Self.number(reader, "usage.grace", default: Int(CloseStatements.grace))
        // Otherwise, an event that is in time would become a correction on the next statement.
        guard (simulatesClock ? 0...Self.longestGrace : usageSettlesAfter + 1...Self.longestGrace).contains(usageGrace)
        else {
            throw Refusal(
                description: simulatesClock
                    ? "ESPALIER_USAGE_GRACE must be between 0 and \(Self.longestGrace), in seconds."
                    : """
                    ESPALIER_USAGE_GRACE must be more than ESPALIER_USAGE_SETTLES_AFTER and at most \(Self.longestGrace), in seconds.
                    """)
        }
        showsPricing = try Self.flag(reader, "pricing.page")
        platformApplication = try Self.platformApplication(reader)
        securityContact = reader.string(forKey: "security.contact").flatMap { $0.isEmpty ? nil : $0 }
        outboxConcurrency = try Self.number(reader, "outbox.concurrency", default: 32)
        mail = try MailSettings(reader)
        apiRequestsPerMinute = try Self.number(reader, "api.requests.per.minute", default: 6000)
        apiChangesPerMinute = try Self.number(reader, "api.changes.per.minute", default: 300)
        trustedProxies = try Self.number(reader, "trusted.proxies", default: 0)
        dnsResolvers = try Self.resolvers(reader)
        shutdownDelay = try Self.number(reader, "shutdown.delay", default: 2)
        let perAddress = try Self.number(reader, "connections.per.address", default: 1000)
        let timeout = try Self.number(reader, "request.timeout", default: 30)
        guard (1...3600).contains(timeout)
        else { throw Refusal(description: "ESPALIER_REQUEST_TIMEOUT must be from 1 to 3600, in seconds. It is \(timeout).") }
        connections = ConnectionLimits(
            total: try Self.number(reader, "connections.total", default: 10_000),
            // Behind proxies, every connection comes from a proxy.
            perAddress: trustedProxies == 0 ? perAddress : nil, request: .seconds(Int64(timeout)),
            bodyRate: try Self.number(reader, "body.rate", default: 500))
        guard perAddress >= 1 else {
            throw Refusal(description: "ESPALIER_CONNECTIONS_PER_ADDRESS must be 1 or more. It is \(perAddress).")
        }
        let level = reader.string(forKey: "log.level", default: "info")
        guard let logLevel = Logger.Level(rawValue: level)
        else {
            throw Refusal(
                description: "ESPALIER_LOG_LEVEL: \(level) is not one of \(Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        self.logLevel = logLevel
        try check()
    }

    /// The URL for commands that need more rights than the server's role.
    static func ownerURL(_ reader: ConfigReader) throws -> String {
        let url = try required(reader, "migration.database.url", "a PostgreSQL URL for the role that owns the schema", isSecret: true)
        try DatabaseTLS(reader).check(url, "ESPALIER_MIGRATION_DATABASE_URL")
        return url
    }

    private static func required(_ reader: ConfigReader, _ key: ConfigKey, _ what: String, isSecret: Bool = false) throws -> String {
        guard let value = reader.string(forKey: key, isSecret: isSecret), !value.isEmpty
        else { throw Refusal(description: "\(name(key)) is missing. Set it to \(what).") }
        return value
    }

    /// The reader itself would silently use the default for a value that is not a number.
    static func number(_ reader: ConfigReader, _ key: ConfigKey, default usual: Int) throws -> Int {
        if let value = reader.int(forKey: key) { return value }
        // In a file, a value can also be a fraction.
        let text = reader.string(forKey: key) ?? reader.double(forKey: key).map { "\($0)" }
        guard let text, !text.isEmpty else { return usual }
        throw Refusal(description: "\(name(key)) must be a whole number. It is \(text).")
    }

    /// False by default.
    static func flag(_ reader: ConfigReader, _ key: ConfigKey) throws -> Bool {
        // In a file, the value is usually not a text.
        switch reader.string(forKey: key) ?? reader.bool(forKey: key).map({ "\($0)" }) {
        case nil, "", "false": return false
        case "true": return true
        case let text?: throw Refusal(description: "\(name(key)) must be true or false. It is \(text).")
        }
    }

    private static func name(_ key: ConfigKey) -> String {
        "ESPALIER_" + key.components.joined(separator: "_").uppercased()
    }

    private static func resolvers(_ reader: ConfigReader) throws -> [ResolverAddress] {
        guard let text = reader.string(forKey: "dns.resolver"), !text.isEmpty else { return ResolverAddress.ofSystem() }
        guard let address = ResolverAddress(text) else {
            throw Refusal(
                description: "ESPALIER_DNS_RESOLVER must be an IP address with an optional port, such as 10.0.0.2 or [2001:db8::2]:53.")
        }
        return [address]
    }

    static func keyring(_ reader: ConfigReader) throws -> Keyring {
        let keys = reader.stringArray(forKey: "master.keys", isSecret: true, default: []).map { $0.trimmingCharacters(in: .whitespaces) }
        guard !keys.isEmpty else {
            throw Refusal(description: "ESPALIER_MASTER_KEYS is missing. Make a key with `espalier generate-master-key`. Store it safely.")
        }
        guard !keys.allSatisfy(\.isEmpty) else {
            throw Refusal(description: "ESPALIER_MASTER_KEYS is empty. Make a key with `espalier generate-master-key`. Store it safely.")
        }
        guard !keys.contains("") else {
            throw Refusal(description: "ESPALIER_MASTER_KEYS has an empty entry. Write one comma between two keys, and none at an end.")
        }
        do {
            return try Keyring(keys.map { try MasterKey(base64: $0) })
        } catch {
            throw Refusal(description: "ESPALIER_MASTER_KEYS: \(error)")
        }
    }

    private func check() throws {
        if let refusal = securityContact.flatMap(WellKnown.refusal(ofContact:)) { throw Refusal(description: refusal) }
        try Self.checkURL(publicURL, "ESPALIER_PUBLIC_URL")
        try Self.checkURL(apple.baseURL, "ESPALIER_APPLE_BASE_URL")
        guard !publicURL.hasSuffix("/") else { throw Refusal(description: "ESPALIER_PUBLIC_URL must not end with a slash.") }
        guard URLComponents(string: publicURL)?.path == "" else {
            throw Refusal(description: "ESPALIER_PUBLIC_URL must not have a path, because cookies and Return URLs apply to the whole host.")
        }
        guard publicURL.hasPrefix("https:") || RedirectURI.isLoopback(host) else {
            throw Refusal(description: "ESPALIER_HOST: \(host) is open to the network, but ESPALIER_PUBLIC_URL is plain http. Use https.")
        }
        for (name, value) in [("ESPALIER_PORT", port), ("ESPALIER_OPERATIONS_PORT", operationsPort)] where !(0...65535).contains(value) {
            throw Refusal(description: "\(name) must be from 0 to 65535. It is \(value).")
        }
        guard port != operationsPort || port == 0 || host != operationsHost else {
            throw Refusal(description: "ESPALIER_PORT and ESPALIER_OPERATIONS_PORT must differ, because operations must not be public.")
        }
        try databaseTLS.check(databaseURL, "ESPALIER_DATABASE_URL")
        for (name, number, minimum) in [
            ("", databaseConnections.logins, 1), ("ADMINISTRATION_", databaseConnections.administration, 1),
            ("EXPORT_", databaseConnections.exports, 1),
            // The closing of a month extends its lease while it reads the month over another connection.
            ("BULK_", databaseConnections.bulk, 2), ("BACKGROUND_", databaseConnections.background, 1),
        ] where !(minimum...500).contains(number) {
            throw Refusal(description: "ESPALIER_DATABASE_\(name)CONNECTIONS must be between \(minimum) and 500.")
        }
        guard (0...256).contains(outboxConcurrency) else {
            throw Refusal(description: "ESPALIER_OUTBOX_CONCURRENCY must be between 0 and 256.")
        }
        guard (1...1_000_000_000).contains(apiRequestsPerMinute) else {
            throw Refusal(description: "ESPALIER_API_REQUESTS_PER_MINUTE must be between 1 and 1000000000.")
        }
        guard (1...1_000_000_000).contains(apiChangesPerMinute) else {
            throw Refusal(description: "ESPALIER_API_CHANGES_PER_MINUTE must be between 1 and 1000000000. It is \(apiChangesPerMinute).")
        }
        guard (1...1_000_000).contains(connections.total) else {
            throw Refusal(description: "ESPALIER_CONNECTIONS_TOTAL must be from 1 to 1000000. It is \(connections.total).")
        }
        guard (1...1_000_000).contains(connections.bodyRate) else {
            throw Refusal(description: "ESPALIER_BODY_RATE must be from 1 to 1000000, in bytes per second. It is \(connections.bodyRate).")
        }
        guard (0...300).contains(shutdownDelay) else {
            throw Refusal(description: "ESPALIER_SHUTDOWN_DELAY must be from 0 to 300, in seconds. It is \(shutdownDelay).")
        }
        guard (0...10).contains(trustedProxies) else {
            throw Refusal(description: "ESPALIER_TRUSTED_PROXIES must be the number of proxies in front of this server, from 0 to 10.")
        }
        guard !apple.issuers.isEmpty else { throw Refusal(description: "ESPALIER_APPLE_ISSUERS must name at least one issuer.") }
        for issuer in apple.issuers { try Self.checkURL(issuer, "ESPALIER_APPLE_ISSUERS") }
        guard apple.timeout > .zero, apple.timeout <= .seconds(60) else {
            throw Refusal(description: "ESPALIER_APPLE_TIMEOUT must be between 1 and 60 seconds.")
        }
        guard (4...10_000).contains(apple.concurrency) else {
            throw Refusal(description: "ESPALIER_APPLE_CONCURRENCY must be from 4 to 10000. It is \(apple.concurrency).")
        }
    }

    /// Requires https, or http on loopback. Any other URL would send codes and secrets unencrypted.
    private static func checkURL(_ text: String, _ name: String) throws {
        guard let url = URLComponents(string: text), let scheme = url.scheme, let host = HostName.inURL(text), HostName.isHost(host),
            url.query == nil, url.fragment == nil, url.user == nil
        else { throw Refusal(description: "\(name) must be an absolute URL with a host.") }
        guard scheme == "https" || scheme == "http" && RedirectURI.isLoopback(host) else {
            throw Refusal(description: "\(name) must be https. http is only for loopback addresses.")
        }
    }
}
