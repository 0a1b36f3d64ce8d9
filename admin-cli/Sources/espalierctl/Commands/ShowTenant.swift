import ArgumentParser

/// `espalierctl tenants show`: one tenant.
struct ShowTenant: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows one tenant.",
        discussion: """
            EXAMPLES
              espalierctl tenants show acme
              espalierctl tenants show acme --json | jq -r .plan
            """)

    @Argument(help: ArgumentHelp("The tenant's slug or id.", valueName: "slug"))
    var tenant: TenantReference

    @OptionGroup var server: ServerOptions
    @OptionGroup var output: OutputOptions

    /// The answer's fields that a person is shown.
    struct Answer: Decodable {
        enum CodingKeys: String, CodingKey {
            case id, slug, name, plan, status
            case createdAt = "created_at"
            case updatedAt = "updated_at"
        }

        var id: String
        var slug: String
        var name: String
        var plan: String
        var status: String
        var createdAt: String
        var updatedAt: String
    }

    func run() async throws {
        let reply = try await server.client().get("v1/tenants/\(tenant.text)", as: Answer.self)
        try output.write(reply) { tenant in
            Table(rows: [
                ["ID", tenant.id],
                ["Slug", tenant.slug],
                ["Name", tenant.name],
                ["Plan", tenant.plan],
                ["Status", tenant.status],
                ["Created", tenant.createdAt],
                ["Updated", tenant.updatedAt],
            ]).text
        }
    }
}
