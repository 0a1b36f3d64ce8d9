import ArgumentParser
import Foundation

/// `espalierctl usage show`: a tenant's billable logins, in total and by day.
struct ShowUsage: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a tenant's billable logins, in total and by day.",
        discussion: """
            Days and months are UTC. Needs an API key that may read the tenant's usage.

            EXAMPLES
              espalierctl usage show --tenant acme
              espalierctl usage show --tenant acme --from 2026-11-01 --to 2026-12-01
              espalierctl usage show --tenant acme --json | jq .logins
            """)

    @Option(help: ArgumentHelp("Whose usage.", valueName: "slug"))
    var tenant: TenantReference

    @Option(
        help: ArgumentHelp(
            "The first moment to count, as 2026-11-01 or 2026-11-01T00:00:00Z. Without it the server chooses.", valueName: "time"))
    var from: Instant?

    @Option(help: ArgumentHelp("The moment to stop before, in the same form.", valueName: "time"))
    var to: Instant?

    @OptionGroup var server: ServerOptions
    @OptionGroup var output: OutputOptions

    /// The answer's fields that a person is shown.
    struct Answer: Decodable {
        struct Day: Decodable {
            var date: String
            var logins: Int
        }

        var from: String
        var to: String
        var logins: Int
        var days: [Day]
    }

    func run() async throws {
        let query = [("from", from), ("to", to)].compactMap { name, instant in
            instant.map { URLQueryItem(name: name, value: $0.text) }
        }
        let reply = try await server.client().get("v1/tenants/\(tenant.text)/usage", query: query, as: Answer.self)
        try output.write(reply) { usage in
            "\(tenant.text), \(usage.from) to \(usage.to)\n\n"
                + Table(
                    header: ["DATE", "LOGINS"],
                    rows: usage.days.map { [$0.date, String($0.logins)] } + [["Total", String(usage.logins)]],
                    rightAligned: [1]
                ).text
        }
    }
}
