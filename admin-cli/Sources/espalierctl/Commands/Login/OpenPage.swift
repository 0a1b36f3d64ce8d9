import ArgumentParser
import Foundation

/// The pages that `espalierctl open` opens.
enum OpenedPage: String, CaseIterable, ExpressibleByArgument {
    case account, sessions, passkeys
    case apiKeys = "api-keys"
    case tenant

    /// Where a person finds what is not a page of the installation. Nil for any other value.
    static func advice(for value: String) -> String? {
        switch CommandPath.nearest(to: value.lowercased(), among: ["console", "docs"]) {
        case "console": "Espalier has no console. `espalierctl open` opens your account, and `espalierctl --help` lists the commands."
        case "docs": "An installation has no documentation. Read the folder docs of Espalier's source, or `espalierctl --help`."
        default: nil
        }
    }

    /// The path below the base URL.
    /// - Parameter tenant: the slug of the tenant.
    func path(tenant: () throws(Failure) -> String) throws(Failure) -> String {
        switch self {
        case .account: "account"
        case .sessions: "account/sessions"
        case .passkeys: "account/passkeys"
        case .apiKeys: "account/api-keys"
        case .tenant: "t/\(try tenant())/.well-known/openid-configuration"
        }
    }
}

/// `espalierctl open`: opens a page in the browser.
struct OpenPage: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Opens your account, or the discovery document of a tenant, in the browser.",
        discussion: """
            Without a browser, the command prints the address. An installation has no console and no documentation. The documentation is the \
            folder docs of Espalier's source.

            EXAMPLES
              espalierctl open
              espalierctl open sessions
              espalierctl open tenant --tenant acme
            """)

    @Argument(help: "The page of your account, or the tenant's discovery document.")
    var page: OpenedPage = .account

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ReadOptions

    func run() throws {
        let session = try Session(options)
        let base = Logins.name(of: try session.settings.baseURL())
        let path = try page.path { () throws(Failure) in try session.tenant(tenant.tenant) }
        let address = "\(base)/\(path)"
        if options.json {
            let json = JSON.object(["url": .string(address)])
            return try Terminal.standardOutput.write(json: String(decoding: json.encoded(), as: UTF8.self), options.jq)
        }
        guard let browser = Browser(ProcessInfo.processInfo.environment), browser.open(address) else {
            return try Terminal.standardOutput.write(address)
        }
        Terminal.standardError.report("Opened \(address.printable).")
    }
}
