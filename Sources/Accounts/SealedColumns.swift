package import Access
import Foundation
import Postgres
import Sealing
import Users

extension SealedColumn {
    /// The sealed columns of this target's tables.
    package static let ofAccounts: [SealedColumn] = [
        SealedColumn("apple_notification", "sealed_payload") { StoredNotification.context(ID($1), owner: $0) },
        SealedColumn("apple_revocation", "sealed_grant") { AppleRevocation.context($0, ID($1)) },
    ]
}
