package import Access

extension SealedColumn {
    /// The sealed columns of this target's tables.
    package static let ofMail: [SealedColumn] = [
        SealedColumn("mail", "sealed_message") { QueuedMail.context(owner: $0, ID($1)) }
    ]
}
