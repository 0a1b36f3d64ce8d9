import Access
import Foundation
import Logging
import Outbox
import Postgres
import Server
@testable import Sinks
import Tenancy
import TestSupport
import Testing

/// A platform whose own worker is idle, so that a test decides on each pass, and a meter.
func withMeter<T: Sendable>(
    isStripe: Bool = false, _ body: @Sendable @escaping (TestPlatform, MeterReceiver) async throws -> T
) async throws -> T {
    try await MeterReceiver.run(isStripe: isStripe) { meter in
        try await TestPlatform.run({
            $0.allowsPrivateWebhooks = true
            $0.outboxConcurrency = 0
        }) { platform in
            try await body(platform, meter)
        }
    }
}

/// A platform with a sink to Stripe's meter, and a customer for each tenant.
/// - Parameter comparesPast: whether the comparison includes hours before the sink's creation.
func withStripe<T: Sendable>(
    comparesPast: Bool = false, _ body: @Sendable @escaping (TestPlatform, MeterReceiver, StripeMeter) async throws -> T
) async throws -> T {
    try await withMeter(isStripe: true) { platform, meter in
        try await platform.sink(to: meter, isStripe: true)
        try await platform.nameCustomers()
        if comparesPast { _ = try await platform.ownerPool.run("UPDATE usage_sink SET compares_from = '2026-01-01'") }
        return try await body(platform, meter, meter.stripe!)
    }
}

extension TestPlatform {
    static let sinkPath = "/platform/usage-sink"
    static let sinkSecret = "sk_test_hushhush"

    /// Creates a sink to a meter.
    @discardableResult
    func sink(to meter: MeterReceiver, isStripe: Bool = false) async throws -> [String: any Sendable] {
        var body: [String: any Sendable] = ["format": isStripe ? "stripe" : "cloudevents", "url": meter.url, "secret": Self.sinkSecret]
        if isStripe { body["event_name"] = "logins" }
        let answer = try await call("POST", Self.sinkPath, body)
        try #require(answer.status == 201, "\(answer.body)")
        return answer.json
    }

    func shownSink() async throws -> [String: any Sendable] {
        let answer = try await call("GET", Self.sinkPath)
        try #require(answer.status == 200, "\(answer.body)")
        return answer.json
    }

    /// How many events wait according to the sink.
    func waiting() async throws -> Int {
        (try await shownSink()["waiting"] as? [String: any Sendable])?["events"] as? Int ?? -1
    }

    /// How many events were set aside according to the sink, and how many of them may have been counted.
    func setAside() async throws -> [Int] {
        let refused = try await shownSink()["refused"] as? [String: any Sendable]
        return [refused?["events"] as? Int ?? -1, refused?["uncertain"] as? Int ?? -1]
    }

    /// Compares with Stripe as a process does.
    func compareMeter(log: RecordedLog = RecordedLog()) -> CompareMeter {
        CompareMeter(database: PlatformDatabase(pool), keyring: settings.keyring, allowsPrivate: true, logger: log.logger)
    }

    /// The hours in which Stripe's meter differs from the sent logins.
    func meterDifferences() async throws -> [[String: any Sendable]] {
        let page = try await call("GET", Self.sinkPath + "/differences")
        try #require(page.status == 200, "\(page.body)")
        return page.json["data"] as? [[String: any Sendable]] ?? []
    }

    /// The state of the comparison according to the sink.
    func comparison() async throws -> [String: any Sendable] {
        try await shownSink()["comparison"] as? [String: any Sendable] ?? [:]
    }

    /// How many rows wait in the sink's tables, and in the outbox for it.
    func sinkRows() async throws -> [Int] {
        try await ownerPool.run([
            """
            SELECT (SELECT count(*) FROM usage_sink_event) + (SELECT count(*) FROM usage_meter_event WHERE taken_at IS NULL) AS n
            """, "SELECT count(*) AS n FROM usage_sink_batch", "SELECT count(*) AS n FROM outbox WHERE kind = 'usage_sink'",
        ]).map { try $0[0].get("n") }
    }

    /// Takes new events, as the aggregation does.
    func takeArrivals() async throws {
        _ = try await PlatformDatabase(pool).run("DELETE FROM usage_arrival")
    }

    /// The worker that a process would run.
    func sinkWorker(
        allowsPrivate: Bool = true, timeout: Duration = .seconds(60), patience: Duration = .seconds(45), settling: TimeInterval = 120,
        log: RecordedLog? = nil
    ) -> SinkWorker {
        let logger = log?.logger ?? Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let deliver = DeliverUsage(
            database: PlatformDatabase(pool), keyring: settings.keyring, allowsPrivate: allowsPrivate, logger: logger, timeout: timeout,
            patience: patience)
        return SinkWorker(
            outbox: OutboxWorker(
                pool: pool, prelude: PlatformDatabase.prelude, handlers: [DeliverUsage.outboxKind: deliver.handle], logger: logger,
                now: { Date() }),
            meterEvents: SendMeterEvents(
                database: PlatformDatabase(pool), keyring: settings.keyring, allowsPrivate: allowsPrivate, settling: settling,
                logger: logger, timeout: timeout, patience: patience))
    }

    /// Sets the customers of both tenants.
    func nameCustomers() async throws {
        for tenant in ["acme", "globex"] {
            let set = try await call("PUT", "/tenants/\(tenant)/usage-sink-customer", ["customer_id": "cus_\(tenant)"])
            try #require(set.status == 200, "\(set.body)")
        }
    }

    /// Logins of the last hours, which Stripe accepts: this many seconds apart, from the start of a minute.
    static func recent(_ count: Int, every seconds: TimeInterval = 1, since ago: TimeInterval = 7200) -> [Date] {
        let start = ((Date().timeIntervalSince1970 - ago) / 60).rounded(.down) * 60
        return (0..<count).map { Date(timeIntervalSince1970: start + Double($0) * seconds) }
    }

    /// The number of logins in the ledger, by the customers of `nameCustomers`.
    func ledgerByCustomer() async throws -> [String: Int] {
        let customers = [acme.id: "cus_acme", globex.id: "cus_globex"]
        return try await ledger().values.reduce(into: [:]) { $0[customers[$1] ?? "", default: 0] += 1 }
    }

    /// Repeats passes, each after a long time, until nothing waits.
    func deliverAll(_ worker: SinkWorker) async throws {
        var now = Date()
        for _ in 0..<100 {
            guard try await sinkRows() != [0, 0, 0] else { return }
            try await worker.pass(at: now)
            now += 3600
        }
        Issue.record("rows remain: \(try await sinkRows())")
    }

    /// The logins of the ledger: tenants by the logins' IDs.
    func ledger() async throws -> [String: String] {
        let events = try await ownerPool.run("SELECT tenant_id, id FROM usage_event").map {
            (
                "login" + ID<Tenant>(try $0.get("id", as: UUID.self)).description.dropFirst("tenant".count),
                try $0.get("tenant_id", as: ID<Tenant>.self).description
            )
        }
        return Dictionary(uniqueKeysWithValues: events)
    }
}

/// The sink's work in a process: the outbox's worker for CloudEvents, and the pass for Stripe.
struct SinkWorker: Sendable {
    let outbox: OutboxWorker
    let meterEvents: SendMeterEvents

    /// - Returns: the number of sent batches, and whether meter events were sent.
    @discardableResult
    func pass(at now: Date) async throws -> Int {
        try await outbox.pass(at: now) + (meterEvents.pass(at: now) > 0 ? 1 : 0)
    }
}
