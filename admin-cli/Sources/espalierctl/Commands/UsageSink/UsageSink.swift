import ArgumentParser
import Foundation

/// `espalierctl usage sink`: another system's meter, to which usage is pushed.
struct UsageSink: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sink",
        abstract: "Pushes usage to another system's meter: OpenMeter's, Stripe's, or whatever takes CloudEvents.",
        subcommands: [
            CreateUsageSink.self, ShowUsageSink.self, UpdateUsageSink.self, DeleteUsageSink.self, RetryUsageSink.self,
            UsageSinkCustomers.self, ListUsageSinkEvents.self, ListUsageSinkDifferences.self,
        ])
}

extension View {
    static let usageSink = View(
        .init("ID", "id"),
        .init("Format", "format"),
        .init("URL", "url"),
        .init("Event name", "event_name").optional,
        .init("Has a secret", "has_secret"),
        .init("Status", "status"),
        .init("Waiting", "waiting.events"),
        .init("Since", "waiting.since").optional,
        .init("Set aside", "refused.events").optional,
        .init("Perhaps counted", "refused.uncertain").optional,
        .init("Set aside since", "refused.since").optional,
        .init("Delivered last", "last_delivered_at").optional,
        .init("Failed last", "last_failure.at").optional,
        .init("With HTTP status", "last_failure.status").optional,
        .init("Because", "last_failure.error").optional,
        .init("Not compared", "comparison.unconfirmed").optional,
        .init("Differences", "comparison.differences").optional,
        .init("Compared last", "comparison.last_compared_at").optional,
        .init("Not comparable since", "comparison.last_failure.at").optional,
        .init("With HTTP status", "comparison.last_failure.status").optional,
        .init("Because", "comparison.last_failure.error").optional,
        .init("Created", "created_at"),
        .init("Updated", "updated_at"))

    static let usageSinkEvent = View(
        .init("ID", "id"),
        .init("Tenant", "tenant_id"),
        .init("Time", "occurred_at").exact,
        .init("Logins", "logins"),
        .init("Reason", "reason"),
        .init("HTTP status", "status").optional,
        .init("Set aside", "refused_at"))

    static let usageSinkDifference = View(
        .init("Customer", "customer_id"),
        .init("Tenants", "tenant_ids"),
        .init("From", "starts_at").exact,
        .init("To", "ends_at").exact,
        .init("Sent", "sent"),
        .init("Counted", "counted"),
        .init("Found", "found_at"),
        .init("Checked", "checked_at"),
        expendable: ["Checked", "Found", "Tenants", "To"])

    static let usageSinkCustomer = View(
        .init("Tenant", "id"),
        .init("Customer", "customer_id").optional,
        .init("Updated", "updated_at"))
}

enum UsageSinkFormat: String, CaseIterable, ExpressibleByArgument {
    case cloudevents, stripe
}

enum UsageSinkStatus: String, CaseIterable, ExpressibleByArgument {
    case enabled, paused
}

/// Where the sink's secret comes from.
struct UsageSinkSecretOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Reads the bearer token or API key from a file, or from the standard input with -.", valueName: "file"),
        completion: .file())
    var secretFrom: String?

    /// - Throws: ``Failure``, which never repeats what was read.
    func read() throws(Failure) -> String? {
        guard let secretFrom else { return nil }
        return try SecretFile.read(secretFrom, of: "secret file").trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
