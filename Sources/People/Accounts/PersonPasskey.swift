package import Access
package import Foundation
package import Postgres

/// The record of a credential of a person (Web Authentication Level 3, section 4).
package struct PersonPasskey: Identified, Sendable {
    package static let idPrefix = "passkey"

    package let id: ID<PersonPasskey>
    package let person: ID<Person>
    /// The ID that the authenticator chose, 1 to 1023 bytes. It is unique among all accounts.
    package let credential: [UInt8]
    /// The COSE key as the authenticator sent it.
    package let publicKey: [UInt8]
    /// The model of the authenticator, 16 bytes. Nothing proves it.
    package let aaguid: [UInt8]
    /// The signatures that the authenticator has counted. 0 if it does not count.
    package let signCount: Int64
    package let isBackupEligible: Bool
    package let isBackedUp: Bool
    /// The ways to reach the authenticator, in the words of the specification.
    package let transports: [String]
    /// The name that the person gave it.
    package let name: String
    package let createdAt: Date
    package let lastUsedAt: Date?

    /// How many passkeys a person can have.
    package static let most = 20

    package init(
        _ id: ID<PersonPasskey>, of person: ID<Person>, credential: [UInt8], publicKey: [UInt8], aaguid: [UInt8], signCount: Int64,
        isBackupEligible: Bool, isBackedUp: Bool, transports: [String], name: String, at now: Date
    ) {
        (self.id, self.person, self.credential, self.publicKey, self.aaguid) = (id, person, credential, publicKey, aaguid)
        (self.signCount, self.isBackupEligible, self.isBackedUp) = (signCount, isBackupEligible, isBackedUp)
        (self.transports, self.name, createdAt, lastUsedAt) = (transports, name, now, nil)
    }
}

// MARK: Rows

extension PersonPasskey {
    package init(_ row: Row) throws {
        id = try row.get("id")
        person = try row.get("person_id")
        credential = try row.get("credential_id")
        publicKey = try row.get("public_key")
        aaguid = try row.get("aaguid")
        signCount = try row.get("sign_count")
        isBackupEligible = try row.get("is_backup_eligible")
        isBackedUp = try row.get("is_backed_up")
        transports = try row.get("transports")
        name = try row.get("name")
        createdAt = try row.get("created_at")
        lastUsedAt = try row.get("last_used_at")
    }

    /// The passkey of an account. The response of the browser names both.
    package static func find(credential: [UInt8], of person: ID<Person>) -> SQL {
        """
        SELECT id, person_id, credential_id, public_key, aaguid, sign_count, is_backup_eligible, is_backed_up, transports, name, created_at,
            last_used_at
        FROM passkey WHERE tenant_id = \(UUID.platform) AND person_id = \(person) AND credential_id = \(credential)
        """
    }

    package static func all(of person: ID<Person>) -> SQL {
        """
        SELECT id, person_id, credential_id, public_key, aaguid, sign_count, is_backup_eligible, is_backed_up, transports, name, created_at,
            last_used_at
        FROM passkey WHERE tenant_id = \(UUID.platform) AND person_id = \(person) ORDER BY id
        """
    }

    /// The schema refuses a credential that is known (`passkey_credential`).
    package var insert: SQL {
        """
        INSERT INTO passkey (id, person_id, credential_id, public_key, aaguid, sign_count, is_backup_eligible, is_backed_up, transports,
            name, created_at)
        VALUES (\(id), \(person), \(credential), \(publicKey), \(aaguid), \(signCount), \(isBackupEligible), \(isBackedUp), \(transports),
            \(name), \(createdAt))
        """
    }

    /// Records a verified use. It affects no row if the counter has changed since this value was read. So of two assertions at the same
    /// time, one counts as the next one.
    package func use(signCount count: Int64, isBackedUp: Bool, at now: Date) -> SQL {
        """
        UPDATE passkey SET sign_count = \(count), is_backed_up = \(isBackedUp), last_used_at = \(now)
        WHERE tenant_id = \(UUID.platform) AND id = \(id) AND sign_count = \(signCount)
        """
    }

    package static func rename(_ id: ID<PersonPasskey>, of person: ID<Person>, to name: String) -> SQL {
        "UPDATE passkey SET name = \(name) WHERE tenant_id = \(UUID.platform) AND id = \(id) AND person_id = \(person)"
    }

    package static func delete(_ id: ID<PersonPasskey>, of person: ID<Person>) -> SQL {
        "DELETE FROM passkey WHERE tenant_id = \(UUID.platform) AND id = \(id) AND person_id = \(person)"
    }
}
