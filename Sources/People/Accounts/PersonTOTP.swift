package import Access
package import Foundation
package import Postgres
package import Sealing

/// The secret of a person for time-based codes (RFC 6238).
package struct PersonTOTP: Identified, Sendable {
    package static let idPrefix = "totp"

    package let id: ID<PersonTOTP>
    /// Nil until the person has given a right code. Until then, no sign-in asks for one.
    package let confirmedAt: Date?
    /// The time step of the last used code.
    package let lastStep: Int64?
    private let sealed: [UInt8]

    /// The row that the sealed secret is bound to.
    static func context(_ id: ID<PersonTOTP>) -> SealingContext {
        SealingContext(tenant: .platform, table: "person_totp", column: "sealed_secret", row: id.description)
    }

    /// - Throws: `SealingError`.
    package func secret(_ keyring: Keyring) throws -> Secret {
        Secret(bytes: try keyring.open(Sealed(bytes: sealed), in: Self.context(id)))
    }
}

// MARK: Rows

extension PersonTOTP {
    package init(_ row: Row) throws {
        id = try row.get("id")
        confirmedAt = try row.get("confirmed_at")
        lastStep = try row.get("last_step")
        sealed = try row.get("sealed_secret")
    }

    package static func find(of person: ID<Person>) -> SQL {
        """
        SELECT id, confirmed_at, last_step, sealed_secret FROM person_totp WHERE tenant_id = \(UUID.platform) AND person_id = \(person)
        """
    }

    /// Stores a new secret whose person has given a right code. The code counts as used. The schema refuses a second secret of a person
    /// (`person_totp_one`).
    /// - Parameter step: the time step of the code.
    package static func insert(
        _ id: ID<PersonTOTP>, of person: ID<Person>, _ secret: Secret, usedAt step: Int64, keyring: Keyring, at now: Date
    ) -> SQL {
        """
        INSERT INTO person_totp (id, person_id, sealed_secret, last_step, confirmed_at, created_at)
        VALUES (\(id), \(person), \(keyring.seal(secret.revealBytes(), in: context(id)).bytes), \(step), \(now), \(now))
        """
    }

    /// Uses up a code of a time step. It affects no row if a code of this step or a later one was used, so each code works once.
    package static func use(step: Int64, of id: ID<PersonTOTP>, at now: Date) -> SQL {
        """
        UPDATE person_totp SET last_step = \(step), confirmed_at = COALESCE(confirmed_at, \(now))
        WHERE tenant_id = \(UUID.platform) AND id = \(id) AND (last_step IS NULL OR last_step < \(step))
        """
    }

    package static func delete(of person: ID<Person>) -> SQL {
        "DELETE FROM person_totp WHERE tenant_id = \(UUID.platform) AND person_id = \(person)"
    }
}
