import ArgumentParser

/// `espalierctl usage sink customers`: what Stripe calls the tenants.
struct UsageSinkCustomers: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "customers",
        abstract: "Says what Stripe calls the tenants.",
        subcommands: [ListUsageSinkCustomers.self, SetUsageSinkCustomer.self, RemoveUsageSinkCustomer.self])
}

/// `espalierctl usage sink customers list`.
struct ListUsageSinkCustomers: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists what Stripe calls the tenants.",
        discussion: """
            EXAMPLES
              espalierctl usage sink customers list --all
            """)
    static let view: View? = .usageSinkCustomer

    @OptionGroup var options: ListOptions

    func call(_ session: Session) throws -> Call {
        .get("platform/usage-sink/customers")
    }

    func describe(_ answer: JSON) throws -> String {
        guard let elements = answer["data"]?.elements else { throw Failure.shape() }
        return elements.isEmpty ? "" : try View.usageSinkCustomer.table(of: elements.map(\.withCustomer))
    }
}

extension JSON {
    /// A tenant's customer with `none`, as it is set, for a tenant that is not sent to Stripe.
    fileprivate var withCustomer: JSON {
        guard case .object(var members) = self, members["customer_id"] == .null else { return self }
        members["customer_id"] = "none"
        return .object(members)
    }
}

/// `espalierctl usage sink customers set`.
struct SetUsageSinkCustomer: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Says what Stripe calls a tenant; what waited for it is sent.",
        discussion: """
            With none, nothing of the tenant's is sent to Stripe, and nothing waits.

            EXAMPLES
              espalierctl usage sink customers set cus_NffrFeUfNV2Hib --tenant acme
              espalierctl usage sink customers set none --tenant acme
            """)
    static let view: View? = .usageSinkCustomer

    @Argument(help: "The customer's id at Stripe, or none.")
    var customer: String

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ChangeOptions

    func call(_ session: Session) throws -> Call {
        .put("\(try session.path(tenant))/usage-sink-customer", ["customer_id": customer == "none" ? JSON.null : JSON(customer)])
    }

    func describe(_ customer: JSON) throws -> String {
        try View.usageSinkCustomer.details(of: customer.withCustomer)
    }
}

/// `espalierctl usage sink customers remove`.
struct RemoveUsageSinkCustomer: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Forgets what Stripe calls a tenant; its logins wait from then on.",
        discussion: """
            EXAMPLES
              espalierctl usage sink customers remove --tenant acme
              espalierctl usage sink customers remove --tenant acme --confirm=acme --no-input
            """)

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: DestroyOptions

    func call(_ session: Session) throws -> Call {
        .delete("\(try session.path(tenant))/usage-sink-customer").destroying(
            "forgets what Stripe calls the tenant", word: try session.word(tenant.tenant))
    }

    func note(_ answer: JSON) -> String? {
        "Forgotten."
    }
}
