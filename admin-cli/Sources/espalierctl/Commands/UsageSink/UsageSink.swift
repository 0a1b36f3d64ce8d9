import ArgumentParser
import Foundation

/// `espalierctl usage sink`: manages the sink that pushes usage to another system's meter.
struct UsageSink: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sink",
        abstract: "Pushes usage to another system's meter: OpenMeter, Stripe, or any receiver of CloudEvents.",
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
        .init("Last delivery", "last_delivered_at").optional,
        .init("Last failure", "last_failure.at").optional,
        .init("HTTP status", "last_failure.status").optional,
        .init("Error", "last_failure.error").optional,
        .init("Not compared", "comparison.unconfirmed").optional,
        .init("Differences", "comparison.differences").optional,
        .init("Last comparison", "comparison.last_compared_at").optional,
        .init("Last failed comparison", "comparison.last_failure.at").optional,
        .init("HTTP status", "comparison.last_failure.status").optional,
        .init("Error", "comparison.last_failure.error").optional,
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

/// The option for the sink's secret.
struct UsageSinkSecretOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The file that contains the receiver's bearer token or API key, or - for the standard input.", valueName: "file"),
        completion: .file())
    var secretFrom: String?

    /// Reads the secret. Nil without the option.
    /// - Throws: ``Failure``, which never contains the text that was read.
    func read() throws(Failure) -> String? {
        guard let secretFrom else { return nil }
        return try SecretFile.read(secretFrom, of: "secret file").trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
