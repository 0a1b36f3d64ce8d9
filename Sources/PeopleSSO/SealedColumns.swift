package import Access

extension SealedColumn {
    /// The sealed columns of this target's tables.
    package static let ofPeopleSSO: [SealedColumn] = [
        SealedColumn("sso_connection", "sealed_client_secret") { tenant, id in SSOConnection.context(ID(id), of: tenant) }
    ]
}
