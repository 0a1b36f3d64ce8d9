import ArgumentParser

/// `espalierctl support`: manages the access of operators to the data of a tenant.
struct Support: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Manages the access of operators to the data of a tenant.",
        discussion: """
            An operator acts on the data of a tenant only during a support access. The tenant sees it with its reason, and can end it.
            """,
        subcommands: [StartSupport.self, EndSupport.self, ListSupport.self])
}

extension View {
    static let supportAccess = View(
        .init("ID", "id"),
        .init("Operator", "operator_name"),
        .init("Person", "person_id").detail,
        .init("Reason", "reason"),
        .init("State", "state"),
        .init("Started", "started_at"),
        .init("Ends", "ends_at").preferring("ended_at"),
        .init("Ended by", "ended_by").optional.detail,
        expendable: ["Started", "State", "ID"])
}
