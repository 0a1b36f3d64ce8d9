import Apple
import Foundation
import Logging
import Mail
import NIOCore
import Sealing
import Testing
import Web

@testable import Server

/// Tests that need no process.
@Suite("Settings")
struct SettingsTests {
    private static let key = MasterKey.generate().base64.reveal()
    private static let least = [
        "ESPALIER_PUBLIC_URL": "https://login.example.com", "ESPALIER_DATABASE_URL": "postgresql:///espalier", "ESPALIER_MASTER_KEYS": key,
    ]

    private func settings(_ more: [String: String] = [:]) throws -> Settings {
        try Settings(environment: Self.least.merging(more, uniquingKeysWith: { $1 }))
    }

    private func refusal(_ more: [String: String]) throws -> String {
        try #require(throws: Settings.Refusal.self) { try settings(more) }.description
    }

    @Test("three settings are enough; all defaults are safe")
    func defaults() throws {
        let settings = try settings()
        #expect(settings.publicURL == "https://login.example.com")
        #expect((settings.host, settings.port) == ("127.0.0.1", 8080))
        #expect((settings.operationsHost, settings.operationsPort) == ("127.0.0.1", 8081))
        #expect(settings.databaseConnections == DatabaseConnections(logins: 8, administration: 4, exports: 1, bulk: 3, background: 4))
        #expect((settings.apiRequestsPerMinute, settings.trustedProxies) == (6000, 0))
        #expect(settings.shutdownDelay == 2)
        #expect(settings.apple.baseURL == "https://appleid.apple.com")
        #expect(settings.apple.issuers == ["https://appleid.apple.com", "https://account.apple.com"])
        #expect(settings.apple.timeout == .seconds(10))
        #expect(settings.logLevel == .info)
    }

    @Test("plain http is not served to a network")
    func openHost() throws {
        #expect(throws: Never.self) { try settings(["ESPALIER_HOST": "0.0.0.0"]) }
        let words = try refusal(["ESPALIER_HOST": "0.0.0.0", "ESPALIER_PUBLIC_URL": "http://localhost:8080"])
        #expect(words.contains("ESPALIER_HOST: 0.0.0.0 is open to the network"))
    }

    @Test("every setting takes effect")
    func everything() throws {
        let settings = try settings([
            "ESPALIER_HOST": "0.0.0.0", "ESPALIER_PORT": "443", "ESPALIER_OPERATIONS_HOST": "10.0.0.1", "ESPALIER_OPERATIONS_PORT": "443",
            "ESPALIER_DATABASE_CONNECTIONS": "20", "ESPALIER_DATABASE_ADMINISTRATION_CONNECTIONS": "5",
            "ESPALIER_DATABASE_EXPORT_CONNECTIONS": "3", "ESPALIER_DATABASE_BULK_CONNECTIONS": "6",
            "ESPALIER_DATABASE_BACKGROUND_CONNECTIONS": "7",
            "ESPALIER_MASTER_KEYS": "\(MasterKey.generate().base64.reveal()), \(Self.key)",
            "ESPALIER_APPLE_BASE_URL": "http://localhost:9000", "ESPALIER_APPLE_ISSUERS": "https://one.example,https://two.example/path",
            "ESPALIER_APPLE_AUDIENCE": "https://one.example", "ESPALIER_APPLE_TIMEOUT": "3", "ESPALIER_LOG_LEVEL": "debug",
            "ESPALIER_API_REQUESTS_PER_MINUTE": "100", "ESPALIER_TRUSTED_PROXIES": "2", "ESPALIER_SHUTDOWN_DELAY": "0",
        ])
        // The same port at another address is another listener.
        #expect((settings.host, settings.port) == ("0.0.0.0", 443))
        #expect((settings.operationsHost, settings.operationsPort) == ("10.0.0.1", 443))
        #expect(settings.databaseConnections == DatabaseConnections(logins: 20, administration: 5, exports: 3, bulk: 6, background: 7))
        #expect(settings.apple.baseURL == "http://localhost:9000")
        #expect(settings.apple.issuers == ["https://one.example", "https://two.example/path"])
        #expect(settings.apple.audience == "https://one.example")
        #expect(settings.apple.timeout == .seconds(3))
        #expect(settings.logLevel == .debug)
        #expect((settings.apiRequestsPerMinute, settings.trustedProxies) == (100, 2))
        #expect(settings.shutdownDelay == 0)
    }

    @Test("connections have caps, a deadline and a minimum rate; behind proxies no address has a cap")
    func connections() throws {
        let usual = try settings().connections
        #expect((usual.total, usual.perAddress, usual.bodyRate) == (10_000, 1000, 500))
        #expect(usual.request == .seconds(30))
        let own = try settings([
            "ESPALIER_CONNECTIONS_TOTAL": "50", "ESPALIER_CONNECTIONS_PER_ADDRESS": "5", "ESPALIER_REQUEST_TIMEOUT": "7",
            "ESPALIER_BODY_RATE": "9",
        ]).connections
        #expect((own.total, own.perAddress, own.bodyRate) == (50, 5, 9))
        #expect(own.request == .seconds(7))
        #expect(try settings(["ESPALIER_TRUSTED_PROXIES": "1", "ESPALIER_CONNECTIONS_PER_ADDRESS": "5"]).connections.perAddress == nil)
        for (name, value) in [
            ("ESPALIER_CONNECTIONS_TOTAL", "0"), ("ESPALIER_CONNECTIONS_PER_ADDRESS", "0"), ("ESPALIER_REQUEST_TIMEOUT", "0"),
            ("ESPALIER_REQUEST_TIMEOUT", "3601"), ("ESPALIER_BODY_RATE", "0"), ("ESPALIER_BODY_RATE", "fast"),
        ] { #expect(try refusal([name: value]).contains(name), "\(name)") }
    }

    @Test("at most as many connections as the process may open files, minus its other files")
    func openFiles() throws {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        #expect(try settings().fitting(openFiles: 1_000_000, logger: logger).connections.total == 10_000)
        #expect(try settings().fitting(openFiles: 1024, logger: logger).connections.total == 202)
        let fewer = try settings(["ESPALIER_APPLE_CONCURRENCY": "64"]).fitting(openFiles: 1024, logger: logger)
        #expect(fewer.connections.total == 650)
        #expect(throws: Settings.Refusal.self) { try settings().fitting(openFiles: 885, logger: logger) }
        #expect(try settings().fitting(openFiles: 886, logger: logger).connections.total == 64)
        #expect(try settings(["ESPALIER_CONNECTIONS_TOTAL": "10"]).fitting(openFiles: 832, logger: logger).connections.total == 10)
        #expect(OpenFiles.raise(to: 64) >= 64)
    }

    @Test("a mail server needs a sender, a sender needs a server, and no refusal shows the password")
    func mail() throws {
        #expect(try settings().mail == nil)
        #expect(try settings(["ESPALIER_SMTP_URL": "", "ESPALIER_MAIL_FROM": ""]).mail == nil)
        let url = "smtp://user:hush@mail.example.com"
        #expect(try settings(["ESPALIER_SMTP_URL": url, "ESPALIER_MAIL_FROM": "login@example.com"]).mail != nil)
        #expect(try refusal(["ESPALIER_SMTP_URL": url]).contains("ESPALIER_MAIL_FROM is missing"))
        #expect(try refusal(["ESPALIER_MAIL_FROM": "login@example.com"]).contains("ESPALIER_MAIL_FROM needs ESPALIER_SMTP_URL"))
        #expect(try refusal(["ESPALIER_SMTP_CA_FILE": "ca.pem"]).contains("ESPALIER_SMTP_CA_FILE needs ESPALIER_SMTP_URL"))
        for (wrong, sender) in [
            ("smtp://user:hush@", "login@example.com"), ("http://user:hush@mail.example.com", "login@example.com"), (url, "login"),
        ] {
            let words = try refusal(["ESPALIER_SMTP_URL": wrong, "ESPALIER_MAIL_FROM": sender])
            #expect(words.contains("ESPALIER_") && !words.contains("hush"), "\(words)")
        }
    }

    @Test("a URL in a setting must have a valid host")
    func hosts() throws {
        for host in ["login%00.example.com", "login%0d%0a.example.com", "%6cogin.example.com", "login,example.com"] {
            #expect(try refusal(["ESPALIER_PUBLIC_URL": "https://\(host)"]).contains("ESPALIER_PUBLIC_URL"), "\(host)")
        }
    }

    @Test("an export ends no sooner than a login's transaction may, except with a simulated clock")
    func settling() throws {
        #expect(try settings([:]).usageSettlesAfter == 120)
        #expect(try settings(["ESPALIER_USAGE_SETTLES_AFTER": "60"]).usageSettlesAfter == 60)
        #expect(try settings(["ESPALIER_USAGE_SETTLES_AFTER": "0", "ESPALIER_SIMULATED_CLOCK": "true"]).usageSettlesAfter == 0)
        #expect(try refusal(["ESPALIER_USAGE_SETTLES_AFTER": "59"]).contains("ESPALIER_USAGE_SETTLES_AFTER must be 60 or more"))
        #expect(try refusal(["ESPALIER_USAGE_SETTLES_AFTER": "-1", "ESPALIER_SIMULATED_CLOCK": "true"]).contains("must be 0 or more"))
    }

    @Test("a month closes after all events in time have arrived, except with a simulated clock")
    func grace() throws {
        #expect(try settings([:]).usageGrace == 86400)
        #expect(try settings(["ESPALIER_USAGE_GRACE": "121"]).usageGrace == 121)
        #expect(try settings(["ESPALIER_USAGE_GRACE": "2592000"]).usageGrace == 2_592_000)
        #expect(try settings(["ESPALIER_USAGE_GRACE": "0", "ESPALIER_SIMULATED_CLOCK": "true"]).usageGrace == 0)
        for more in [
            ["ESPALIER_USAGE_GRACE": "120"], ["ESPALIER_USAGE_GRACE": "2592001"],
            ["ESPALIER_USAGE_GRACE": "600", "ESPALIER_USAGE_SETTLES_AFTER": "600"],
            ["ESPALIER_USAGE_GRACE": "-1", "ESPALIER_SIMULATED_CLOCK": "true"],
        ] { #expect(try refusal(more).contains("ESPALIER_USAGE_GRACE must be")) }
        #expect(try refusal(["ESPALIER_USAGE_GRACE": "a day"]).contains("a whole number"))
    }

    @Test("the contact for vulnerability reports is a URI that people can use")
    func securityContact() throws {
        #expect(try settings([:]).securityContact == nil && settings(["ESPALIER_SECURITY_CONTACT": ""]).securityContact == nil)
        for contact in ["https://example.com/security", "mailto:security@example.com", "tel:+1-201-555-0123"] {
            #expect(try settings(["ESPALIER_SECURITY_CONTACT": contact]).securityContact == contact)
        }
        for contact in ["security@example.com", "http://example.com/", "mailto:", "mailto:a b", "mailto:a\nExpires: x", "https://é.test"] {
            #expect(try refusal(["ESPALIER_SECURITY_CONTACT": contact]).contains("ESPALIER_SECURITY_CONTACT must be a URI"))
        }
    }

    @Test("prices are not public by default")
    func pricingPage() throws {
        #expect(try !settings([:]).showsPricing)
        #expect(try !settings(["ESPALIER_PRICING_PAGE": "false"]).showsPricing)
        #expect(try settings(["ESPALIER_PRICING_PAGE": "true"]).showsPricing)
        #expect(try refusal(["ESPALIER_PRICING_PAGE": "on"]).contains("ESPALIER_PRICING_PAGE must be true or false. It is on."))
    }

    @Test("the tenant and the application of the platform need each other")
    func platformApplication() throws {
        let (tenant, application) = ("ESPALIER_PLATFORM_TENANT", "ESPALIER_PLATFORM_APPLICATION")
        #expect(try settings([:]).platformApplication == nil && settings([tenant: "", application: ""]).platformApplication == nil)
        let id = "app_01jd8x3v6qf9wr2m5tzk7h4c0n"
        let read = try #require(try settings([tenant: "acme", application: id]).platformApplication)
        #expect(read.tenant == "acme" && read.clientID == id)
        #expect(try refusal([tenant: "acme"]).contains(application) && refusal([application: id]).contains(tenant))
        #expect(try refusal([tenant: "Acme", application: id]).contains("must be the slug"))
        for other in ["app_", "acme", id + "\u{301}", "apikey_01jd8x3v6qf9wr2m5tzk7h4c0n"] {
            #expect(try refusal([tenant: "acme", application: other]).contains("must be the ID"))
        }
    }

    @Test(
        "http is for loopback",
        arguments: [
            "http://localhost", "http://localhost:8080", "http://127.0.0.1:8080", "http://[::1]:8080", "https://login.example.com:8443",
        ])
    func publicURL(_ url: String) throws {
        #expect(try settings(["ESPALIER_PUBLIC_URL": url]).publicURL == url)
    }

    @Test(
        "a public URL is only a scheme and a host",
        arguments: [
            "", "login.example.com", "http://login.example.com", "http://localhost.example.com", "ftp://login.example.com", "https://",
            "https://login.example.com/", "https://login.example.com/base", "https://login.example.com?a=b", "https://login.example.com#a",
            "https://user@login.example.com",
        ])
    func wrongPublicURL(_ url: String) throws {
        #expect(try refusal(["ESPALIER_PUBLIC_URL": url]).contains("ESPALIER_PUBLIC_URL"))
    }

    @Test(
        "a number is a number, within its limits",
        arguments: [
            ("ESPALIER_PORT", "65536"), ("ESPALIER_PORT", "-1"), ("ESPALIER_PORT", "80 80"), ("ESPALIER_OPERATIONS_PORT", "70000"),
            ("ESPALIER_OPERATIONS_PORT", "x"), ("ESPALIER_DATABASE_CONNECTIONS", "0"), ("ESPALIER_DATABASE_CONNECTIONS", "501"),
            ("ESPALIER_DATABASE_CONNECTIONS", "many"), ("ESPALIER_DATABASE_EXPORT_CONNECTIONS", "0"),
            ("ESPALIER_DATABASE_BULK_CONNECTIONS", "1"), ("ESPALIER_APPLE_TIMEOUT", "0"),
            ("ESPALIER_APPLE_TIMEOUT", "61"),
            ("ESPALIER_APPLE_TIMEOUT", "10s"), ("ESPALIER_API_REQUESTS_PER_MINUTE", "0"), ("ESPALIER_API_REQUESTS_PER_MINUTE", "all"),
            ("ESPALIER_DNS_RESOLVER", "dns.example"), ("ESPALIER_DNS_RESOLVER", "10.0.0.2:0"),
            ("ESPALIER_TRUSTED_PROXIES", "-1"), ("ESPALIER_TRUSTED_PROXIES", "11"),
            ("ESPALIER_SHUTDOWN_DELAY", "-1"), ("ESPALIER_SHUTDOWN_DELAY", "301"), ("ESPALIER_SHUTDOWN_DELAY", "2s"),
            ("ESPALIER_APPLE_CONCURRENCY", "3"), ("ESPALIER_APPLE_CONCURRENCY", "10001"), ("ESPALIER_APPLE_CONCURRENCY", "all"),
        ])
    func wrongNumber(_ name: String, _ value: String) throws {
        #expect(try refusal([name: value]).contains(name))
    }

    @Test("by default webhooks stay in public networks, and the outbox is processed")
    func webhooks() throws {
        #expect(try settings().allowsPrivateWebhooks == false)
        #expect(try settings().outboxConcurrency == 32)
        let said = try settings(["ESPALIER_WEBHOOKS_ALLOW_PRIVATE": "true", "ESPALIER_OUTBOX_CONCURRENCY": "0"])
        #expect(said.allowsPrivateWebhooks)
        #expect(said.outboxConcurrency == 0)
        #expect(try settings(["ESPALIER_WEBHOOKS_ALLOW_PRIVATE": "false"]).allowsPrivateWebhooks == false)
        #expect(
            try refusal(["ESPALIER_WEBHOOKS_ALLOW_PRIVATE": "yes"]) == "ESPALIER_WEBHOOKS_ALLOW_PRIVATE must be true or false. It is yes.")
        #expect(try refusal(["ESPALIER_OUTBOX_CONCURRENCY": "257"]).hasPrefix("ESPALIER_OUTBOX_CONCURRENCY must be"))
    }

    @Test("by default the concurrent calls to Apple are enough for 750 logins per second at 150 ms, and the limit can be set")
    func appleConcurrency() throws {
        #expect(try settings().apple.concurrency == 512)
        #expect(try settings(["ESPALIER_APPLE_CONCURRENCY": "4"]).apple.concurrency == 4)
        #expect(try settings(["ESPALIER_APPLE_CONCURRENCY": "10000"]).apple.concurrency == 10_000)
        #expect(
            try refusal(["ESPALIER_APPLE_CONCURRENCY": "3"]) == "ESPALIER_APPLE_CONCURRENCY must be from 4 to 10000. It is 3.")
    }

    @Test("an empty number counts as missing")
    func emptyNumber() throws {
        #expect(try settings(["ESPALIER_PORT": ""]).port == 8080)
    }

    @Test("an issuer is a URL", arguments: ["", "appleid.apple.com", "https://appleid.apple.com,", "http://apple.example.com"])
    func wrongIssuers(_ issuers: String) throws {
        #expect(try refusal(["ESPALIER_APPLE_ISSUERS": issuers]).contains("ESPALIER_APPLE_ISSUERS"))
    }

    @Test("one weak key among several is rejected, and no error shows a key")
    func keys() throws {
        let weak = Data(repeating: 1, count: 32).base64EncodedString()
        let words = try refusal(["ESPALIER_MASTER_KEYS": "\(Self.key),\(weak)"])
        #expect(words.contains("ESPALIER_MASTER_KEYS"))
        #expect(!words.contains(weak) && !words.contains(Self.key))
    }
}
