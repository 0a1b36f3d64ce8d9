package import Access

extension SealedColumn {
    /// The sealed columns of this target's tables.
    package static let ofPeople: [SealedColumn] = [
        SealedColumn("person", "sealed_password") { _, id in Person.passwordContext(ID(id)) },
        SealedColumn("person_totp", "sealed_secret") { _, id in PersonTOTP.context(ID(id)) },
    ]
}
