import ArgumentParser

/// `espalierctl usage sink customers`: manages the Stripe customers of the tenants.
struct UsageSinkCustomers: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "customers",
        abstract: "Manages the Stripe customer of each tenant.",
        subcommands: [ListUsageSinkCustomers.self, SetUsageSinkCustomer.self, RemoveUsageSinkCustomer.self])
}

/// `espalierctl usage sink customers list`: lists the tenants with their Stripe customers.
struct ListUsageSinkCustomers: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the tenants with their Stripe customers.",
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
    /// A tenant's customer. For a tenant that is not sent to Stripe, the customer is `none`, as in the argument.
    fileprivate var withCustomer: JSON {
        guard case .object(var members) = self, members["customer_id"] == .null else { return self }
        members["customer_id"] = "none"
        return .object(members)
    }
}

/// `espalierctl usage sink customers set`: sets a tenant's Stripe customer.
struct SetUsageSinkCustomer: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Sets a tenant's Stripe customer, and sends the tenant's waiting events.",
        discussion: """
            With none, the tenant's events are not sent to Stripe and do not wait.

            EXAMPLES
              espalierctl usage sink customers set cus_NffrFeUfNV2Hib --tenant acme
              espalierctl usage sink customers set none --tenant acme
            """)
    static let view: View? = .usageSinkCustomer

    @Argument(help: "The ID of the customer at Stripe, or none.")
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

/// `espalierctl usage sink customers remove`: removes a tenant's Stripe customer.
struct RemoveUsageSinkCustomer: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Removes a tenant's Stripe customer. The tenant's events then wait until you set another one.",
        discussion: """
            EXAMPLES
              espalierctl usage sink customers remove --tenant acme
              espalierctl usage sink customers remove --tenant acme --confirm=acme \\
                --no-input
            """)

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: DestroyOptions

    func call(_ session: Session) throws -> Call {
        .delete("\(try session.path(tenant))/usage-sink-customer").destroying(
            "removes the tenant's Stripe customer", word: try session.word(tenant.tenant))
    }

    func note(_ answer: JSON) -> String? {
        "Removed the tenant's Stripe customer."
    }
}
