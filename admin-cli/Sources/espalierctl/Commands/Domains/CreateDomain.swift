import ArgumentParser

/// `espalierctl domains create`: claims a domain.
struct CreateDomain: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Claims a domain, and shows the proof to publish.",
        discussion: """
            EXAMPLES
              espalierctl domains create login.customer.com --tenant acme
            """)
    static let view: View? = .domain

    @Argument(help: "The host name, in lower case and without a port. An international name is in its ASCII form (xn--…).")
    var host: String

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ChangeOptions

    func call(_ session: Session) throws -> Call {
        .post("\(try session.path(tenant))/domains", ["host": JSON(host)])
    }

    func note(_ domain: JSON) -> String? {
        """
        Publish the DNS record and keep it, then run: espalierctl domains verify \(domain["id"]?.text ?? "")
        Lead the host to Espalier after that. A file as the proof ends then, and with it the domain, 8 days later.
        """
    }
}
