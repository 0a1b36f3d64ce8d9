import ArgumentParser

/// `espalierctl sso domains create`: claims a domain of addresses.
struct CreateSSODomain: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Claims a domain of addresses, and shows the DNS record to publish.",
        discussion: """
            A claim without the record ends after 7 days.

            EXAMPLES
              espalierctl sso domains create customer.com --tenant acme
            """)
    static let view: View? = .ssoDomain

    @Argument(help: "The part of the addresses after the @, in lower case. An international name is in its ASCII form (xn--…).")
    var domain: String

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ChangeOptions

    func call(_ session: Session) throws -> Call {
        .post("\(try session.path(tenant))/sso/domains", ["domain": JSON(domain)])
    }

    func note(_ domain: JSON) -> String? {
        "Publish the DNS record and keep it, then run: espalierctl sso domains verify \(domain["id"]?.text ?? "")"
    }
}
