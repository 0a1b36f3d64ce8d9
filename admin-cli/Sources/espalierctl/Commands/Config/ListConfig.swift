import ArgumentParser
import Foundation

/// `espalierctl config list`: lists a person's profiles.
struct ListConfig: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists your profiles. A star marks the current one.",
        discussion: """
            EXAMPLES
              espalierctl config list
              espalierctl config list --json
            """)

    @OptionGroup var output: OutputOptions

    private static let view = View(
        .init("Use", "mark"), .init("Profile", "profile"), .init("Base URL", "base_url").optional, .init("Tenant", "tenant").optional,
        .init("API key", "api_key").optional)

    func run() throws {
        let configuration = try UserConfiguration.load(ProcessInfo.processInfo.environment)
        let used = configuration.currentProfile ?? UserConfiguration.defaultProfile
        let profiles = configuration.profiles.sorted { $0.key < $1.key }.map { name, profile in
            let key = profile.apiKey.map { (try? APIKey($0).hint) ?? "(not a key)" } ?? profile.apiKeyFile.map { "in \($0)" }
            return JSON.given([
                "profile": .string(name), "current": .bool(name == used), "mark": name == used ? "*" : " ",
                "base_url": JSON(profile.baseURL), "tenant": JSON(profile.tenant), "api_key": JSON(key),
            ])
        }
        if output.json {
            let list = JSON.object(["object": "list", "data": .array(profiles.map { $0.without("mark") })])
            return try Terminal.standardOutput.write(json: String(decoding: list.encoded(), as: UTF8.self), output.jq)
        }
        guard !profiles.isEmpty else {
            return Terminal.standardError.report("No profiles. Create one: espalierctl config set base-url https://id.example.com")
        }
        try Terminal.standardOutput.write(Self.view.table(of: profiles))
    }
}
