package import Access
import Encoding
package import Foundation
package import Postgres
package import Sealing

extension Person {
    /// The row that a sealed password is bound to.
    package static func passwordContext(_ id: ID<Person>) -> SealingContext {
        SealingContext(tenant: .platform, table: "person", column: "sealed_password", row: id.description)
    }
}

// MARK: Rows

extension Person {
    package init(_ row: Row) throws {
        self.init(
            id: try row.get("id"), name: try row.get("name"), email: try row.get("email"), emailProvedAt: try row.get("email_proved_at"),
            passwordChangedAt: try row.get("password_changed_at"), sessionsValidAfter: try row.get("sessions_valid_after"),
            createdAt: try row.get("created_at"), updatedAt: try row.get("updated_at"))
    }

    package static func find(_ id: ID<Person>) -> SQL {
        """
        SELECT id, name, email, email_proved_at, password_changed_at, sessions_valid_after, created_at, updated_at FROM person
        WHERE tenant_id = \(UUID.platform) AND id = \(id)
        """
    }

    /// Like `find`, and locks the account for a transaction that changes its ways to sign in.
    package static func lock(_ id: ID<Person>) -> SQL {
        """
        SELECT id, name, email, email_proved_at, password_changed_at, sessions_valid_after, created_at, updated_at FROM person
        WHERE tenant_id = \(UUID.platform) AND id = \(id) FOR UPDATE
        """
    }

    /// The person who signs in with an address, with the sealed password and the failed attempts.
    package static func find(email: String) -> SQL {
        """
        SELECT id, name, email, email_proved_at, password_changed_at, sessions_valid_after, created_at, updated_at, sealed_password,
            password_failures, password_failed_at
        FROM person
        WHERE tenant_id = \(UUID.platform) AND email_key = \(email.asciiLowercased)
        """
    }

    /// Creates an account. The schema refuses a second one with the address (`person_email`).
    /// - Parameter isProved: whether the person has proved to read the mailbox.
    package static func insert(_ id: ID<Person>, name: String, email: String, isProved: Bool, at now: Date) -> SQL {
        let provedAt: Date? = isProved ? now : nil
        return """
            INSERT INTO person (id, name, email, email_proved_at, created_at, updated_at)
            VALUES (\(id), \(name), \(email), \(provedAt), \(now), \(now))
            """
    }

    package static func rename(_ id: ID<Person>, to name: String, at now: Date) -> SQL {
        """
        UPDATE person SET name = \(name), updated_at = GREATEST(\(now), updated_at + interval '1 microsecond')
        WHERE tenant_id = \(UUID.platform) AND id = \(id)
        """
    }

    /// Gives an account the address of a mailbox that the person has proved to read. The schema refuses an address of another account
    /// (`person_email`).
    package static func setAddress(_ email: String, of id: ID<Person>, at now: Date) -> SQL {
        """
        UPDATE person SET email = \(email), email_proved_at = \(now), updated_at = GREATEST(\(now), updated_at + interval '1 microsecond')
        WHERE tenant_id = \(UUID.platform) AND id = \(id)
        """
    }

    /// Takes an address from an account that has not proved it, because its owner has. That account keeps its passkeys, and gets an address
    /// that no mailbox has (RFC 2606, section 2). It affects no row if the address was proved since.
    package static func takeAddress(from id: ID<Person>, at now: Date) -> SQL {
        """
        UPDATE person SET email = \("\(id)@address.invalid"), updated_at = GREATEST(\(now), updated_at + interval '1 microsecond')
        WHERE tenant_id = \(UUID.platform) AND id = \(id) AND email_proved_at IS NULL
        """
    }

    /// Sets the hash of a password. All earlier sessions end.
    package static func setPassword(_ hash: Secret, of id: ID<Person>, keyring: Keyring, at now: Date) -> SQL {
        """
        UPDATE person SET sealed_password = \(keyring.seal(hash.revealBytes(), in: passwordContext(id)).bytes),
            password_changed_at = \(now), sessions_valid_after = \(now), password_failures = 0, password_failed_at = NULL,
            updated_at = GREATEST(\(now), updated_at + interval '1 microsecond')
        WHERE tenant_id = \(UUID.platform) AND id = \(id)
        """
    }

    /// Replaces the hash of the same password by one with the present cost. Sessions continue.
    package static func renewHash(_ hash: Secret, of id: ID<Person>, keyring: Keyring) -> SQL {
        """
        UPDATE person SET sealed_password = \(keyring.seal(hash.revealBytes(), in: passwordContext(id)).bytes)
        WHERE tenant_id = \(UUID.platform) AND id = \(id) AND sealed_password IS NOT NULL
        """
    }

    /// Counts an attempt before its password or code is checked, so that attempts at the same time cannot all be the first one. A right one
    /// resets the count (`resetFailures`).
    /// - Returns: The number of attempts, this one included. No row if the person must wait (`Attempt.wait`), which counts nothing.
    package static func reserveAttempt(_ kind: Attempt, of id: ID<Person>, at now: Date) -> SQL {
        let (failures, failedAt) = kind.columns
        if kind == .password {
            let start = now.addingTimeInterval(-Attempt.window)
            return """
                UPDATE person SET password_failed_at = \(now),
                    password_failures = CASE WHEN password_failed_at > \(start) THEN password_failures ELSE 0 END + 1
                WHERE tenant_id = \(UUID.platform) AND id = \(id) AND (password_failures < \(Attempt.free) OR password_failed_at
                    + LEAST(power(2, LEAST(password_failures, 20) - \(Attempt.free)), \(Attempt.window)) * interval '1 second' <= \(now))
                RETURNING password_failures AS attempts
                """
        }
        return """
            UPDATE person SET \(literally: failedAt) = \(now), \(literally: failures) = \(literally: failures) + 1
            WHERE tenant_id = \(UUID.platform) AND id = \(id)
                AND (\(literally: failures) = 0 OR \(literally: failures) % \(Attempt.free) <> 0 OR \(literally: failedAt) + LEAST(
                    \(Attempt.window) * power(2, LEAST(\(literally: failures) / \(Attempt.free), 20) - 1), \(Attempt.longestWait)
                ) * interval '1 second' <= \(now))
            RETURNING \(literally: failures) AS attempts
            """
    }

    /// The attempts to give a code since the last right one, and the time of the last attempt, for `Attempt.wait`: at a sign-in, and behind the
    /// link of a recovery.
    package static func codeFailures(of id: ID<Person>) -> SQL {
        """
        SELECT code_failures, code_failed_at, recovery_failures, recovery_failed_at FROM person
        WHERE tenant_id = \(UUID.platform) AND id = \(id)
        """
    }

    package static func resetFailures(_ kind: Attempt, of id: ID<Person>) -> SQL {
        let (failures, failedAt) = kind.columns
        return """
            UPDATE person SET \(literally: failures) = 0, \(literally: failedAt) = NULL
            WHERE tenant_id = \(UUID.platform) AND id = \(id)
            """
    }

    /// Removes everything with which the person signs in, except the password. The statements belong into one transaction.
    static func removeFactors(of id: ID<Person>) -> [SQL] {
        [
            PersonTOTP.delete(of: id),
            "DELETE FROM passkey WHERE tenant_id = \(UUID.platform) AND person_id = \(id)",
            "DELETE FROM recovery_code WHERE tenant_id = \(UUID.platform) AND person_id = \(id)",
        ]
    }

    /// Deletes the account. Its sessions and factors go with it, and so do its memberships (`person_deleted`).
    static func delete(_ id: ID<Person>) -> SQL {
        "DELETE FROM person WHERE tenant_id = \(UUID.platform) AND id = \(id)"
    }

    /// Deletes accounts without a membership, an open invitation, and a change or a use since a time. The end of a membership is a change
    /// (`membership_ended`).
    static func forgetUnused(since end: Date, upTo batch: Int, at now: Date) -> SQL {
        """
        DELETE FROM person AS p USING (
            SELECT p.tenant_id, p.id FROM person AS p
            WHERE p.updated_at < \(end)
                AND NOT EXISTS (SELECT FROM membership AS m WHERE m.person_id = p.id)
                AND NOT EXISTS (SELECT FROM invitation AS i
                    WHERE i.email_key = p.email_key AND i.accepted_at IS NULL AND i.expires_at > \(now))
                AND NOT EXISTS (SELECT FROM person_session AS s
                    WHERE s.tenant_id = p.tenant_id AND s.person_id = p.id AND s.last_used_at >= \(end))
            ORDER BY p.updated_at LIMIT \(batch) FOR UPDATE SKIP LOCKED) AS old
        WHERE p.tenant_id = old.tenant_id AND p.id = old.id
        """
    }

    /// A guess that is counted per person.
    package enum Attempt: Sendable {
        /// After 5 failures, the next attempts wait 1 s, 2 s, 4 s and so on, up to 15 minutes. Passwords are hard to guess, so that an honest
        /// person waits only a moment.
        case password
        /// After each 5 failures, the next attempt waits: 15 minutes, 30, 60 and so on, up to 24 hours. A guess of a code succeeds with a
        /// chance of 3 in a million, so guesses need an end. Only a right code resets the count.
        case code
        /// The same behind the link of a recovery, whose holder has the mailbox. Somebody who knows only the password does not use these up.
        case recovery

        /// The failures without a wait.
        package static let free = 5
        /// In seconds: how long a wrong password counts, the longest wait after one, and the first wait after wrong codes.
        package static let window: TimeInterval = 900
        /// The longest wait after wrong codes, in seconds.
        package static let longestWait: TimeInterval = 86400

        /// The columns of the number of failures, and of the time of the last one.
        fileprivate var columns: (failures: StaticString, failedAt: StaticString) {
            switch self {
            case .password: ("password_failures", "password_failed_at")
            case .code: ("code_failures", "code_failed_at")
            case .recovery: ("recovery_failures", "recovery_failed_at")
            }
        }

        /// How long the next attempt waits, in seconds, as `reserveAttempt` decides.
        package func wait(after failures: Int, lastAt last: Date?, at now: Date) -> TimeInterval {
            guard failures >= Self.free, let last else { return 0 }
            let pause: TimeInterval
            switch self {
            case .password: pause = min(TimeInterval(1 << (min(failures, 20) - Self.free)), Self.window)
            case .code, .recovery:
                guard failures % Self.free == 0 else { return 0 }
                pause = min(Self.window * TimeInterval(1 << (min(failures / Self.free, 20) - 1)), Self.longestWait)
            }
            return max(0, last.addingTimeInterval(pause).timeIntervalSince(now))
        }
    }
}
