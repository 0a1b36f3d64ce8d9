import Access
import Encoding
import Foundation
import People
import Postgres
import Sealing
import Sessions

/// A request of a terminal without a browser, from its start until the codes expire. It belongs to the platform, as everything that proves a
/// person.
struct PersonDevice: Identified, Sendable {
    static let idPrefix = "persondevice"

    enum State: String, SQLValue {
        /// The person has not decided yet.
        case pending
        case refused
        case approved
        /// The terminal has received its token.
        case redeemed
    }

    /// How long both codes are valid.
    static let lifetime: TimeInterval = 600
    /// How long a terminal waits between two polls at first, in seconds, and how much longer after each early one (RFC 8628, section 3.5).
    static let interval = 5
    static let longestInterval = 60
    /// How many seconds a poll may come early, because the network delays some of them more than others.
    static let leeway: TimeInterval = 1

    let id: ID<PersonDevice>
    let terminal: TerminalDevice
    let state: State
    let createdAt: Date
    let expiresAt: Date
    let person: ID<Person>?

    init(_ row: Row) throws {
        id = try row.get("id")
        terminal = TerminalDevice(
            name: try row.get("host_name", as: String?.self).flatMap { TerminalName($0) },
            device: Device(userAgent: try row.get("user_agent"), address: try row.get("address")))
        state = try row.get("state")
        createdAt = try row.get("created_at")
        expiresAt = try row.get("expires_at")
        person = try row.get("person_id")
    }

    /// Whether the person can still decide.
    func isOpen(at now: Date) -> Bool { state == .pending && now < expiresAt }
}

// MARK: The terminal

extension PersonDevice {
    /// How many open requests there may be, and how many of one network. Nobody authenticates here, so anyone could fill the table otherwise.
    static let most = 10_000
    static let mostOfNetwork = 100

    /// The constraint that refuses a user code that is taken.
    static let isTaken = "person_device_user_code"

    /// Inserts a request. It returns no row if a limit is reached. The schema refuses it (`isTaken`) if the user code is taken. Concurrent
    /// requests do not see one another, so the number may exceed a limit by their number.
    static func insert(
        _ id: ID<PersonDevice>, userCode digest: [UInt8], _ terminal: TerminalDevice, network: String, at now: Date
    ) -> SQL {
        """
        INSERT INTO person_device (id, user_code_digest, host_name, user_agent, address, network, state, interval_seconds, created_at,
            expires_at)
        SELECT \(id), \(digest), \(terminal.name?.text), \(terminal.device.userAgent), \(terminal.device.address), \(network),
            'pending', \(interval), \(now), \(now.addingTimeInterval(lifetime))
        WHERE (SELECT count(*) FROM (
                SELECT FROM person_device WHERE tenant_id = \(UUID.platform) AND expires_at > \(now) LIMIT \(most)) AS open) < \(most)
            AND (SELECT count(*) FROM (
                SELECT FROM person_device WHERE tenant_id = \(UUID.platform) AND network = \(network) AND expires_at > \(now)
                LIMIT \(mostOfNetwork)) AS near) < \(mostOfNetwork)
        RETURNING id
        """
    }

    /// Records a poll, and returns the request with `is_early`. The row is locked, so of two polls at once, one is early. Each early poll
    /// makes the interval longer, in all processes.
    static func poll(_ id: ID<PersonDevice>, at now: Date) -> SQL {
        """
        WITH locked AS (
            SELECT tenant_id, id, COALESCE(polled_at + make_interval(secs => interval_seconds - \(leeway)) > \(now), false) AS is_early
            FROM person_device WHERE tenant_id = \(UUID.platform) AND id = \(id) FOR UPDATE)
        UPDATE person_device AS d SET
            interval_seconds = CASE WHEN is_early THEN LEAST(interval_seconds + \(interval), \(longestInterval)) ELSE interval_seconds END,
            polled_at = CASE WHEN is_early THEN polled_at ELSE \(now) END
        FROM locked WHERE d.tenant_id = locked.tenant_id AND d.id = locked.id
        RETURNING d.id, host_name, user_agent, address, state, created_at, expires_at, person_id, approval, is_early
        """
    }

    /// Uses up an approval, in the transaction that starts the session. It returns no row if another poll was first.
    static func redeem(_ id: ID<PersonDevice>) -> SQL {
        """
        UPDATE person_device SET state = 'redeemed' WHERE tenant_id = \(UUID.platform) AND id = \(id) AND state = 'approved' RETURNING id
        """
    }
}

// MARK: The person

extension PersonDevice {
    /// Finds an open request by its user code.
    static func find(_ userCode: [[UInt8]], at now: Date) -> SQL {
        """
        SELECT id, host_name, user_agent, address, state, created_at, expires_at, person_id FROM person_device
        WHERE tenant_id = \(UUID.platform) AND user_code_digest = ANY(\(userCode)) AND state = 'pending' AND expires_at > \(now)
        """
    }

    static func find(_ id: ID<PersonDevice>) -> SQL {
        """
        SELECT id, host_name, user_agent, address, state, created_at, expires_at, person_id FROM person_device
        WHERE tenant_id = \(UUID.platform) AND id = \(id)
        """
    }

    /// Stores the approval. The same person's approval again changes nothing. It returns no row if the code has expired, or if someone has
    /// decided otherwise.
    static func approve(_ id: ID<PersonDevice>, by person: ID<Person>, sealed: String, at now: Date) -> SQL {
        """
        UPDATE person_device SET state = CASE state WHEN 'pending' THEN 'approved' ELSE state END, person_id = \(person),
            approval = COALESCE(approval, \(sealed))
        WHERE tenant_id = \(UUID.platform) AND id = \(id) AND (state = 'pending' OR person_id = \(person)) AND expires_at > \(now)
        RETURNING id
        """
    }

    static func refuse(_ id: ID<PersonDevice>, at now: Date) -> SQL {
        """
        UPDATE person_device SET state = 'refused'
        WHERE tenant_id = \(UUID.platform) AND id = \(id) AND state = 'pending' AND expires_at > \(now)
        RETURNING id
        """
    }

    /// Deletes the requests whose codes have expired.
    static func forgetOld(in database: PlatformDatabase, at now: Date) async throws {
        try await database.remove { batch in
            """
            DELETE FROM person_device AS d USING (
                SELECT tenant_id, id FROM person_device WHERE expires_at < \(now) ORDER BY expires_at LIMIT \(batch)) AS old
            WHERE d.tenant_id = old.tenant_id AND d.id = old.id
            """
        }
    }
}

/// The secret with which a terminal asks for its token: the request's ID and time, sealed. The database stores no part of it, and a made-up
/// code costs no statement.
enum TerminalDeviceCode {
    private static let purpose = "terminal_device_code"
    /// The permitted difference between the clocks of two servers, in seconds.
    private static let leeway: TimeInterval = 60

    static func text(of id: ID<PersonDevice>, at now: Date, with keyring: Keyring) -> String {
        var fields = FieldWriter()
        fields.write(id.uuid)
        fields.write(now)
        return keyring.sealToken(fields.bytes, purpose: purpose)
    }

    /// Nil unless this server made the code. The row decides when exactly it expires.
    static func open(_ text: String, with keyring: Keyring, at now: Date) -> (id: ID<PersonDevice>, isExpired: Bool)? {
        guard let bytes = try? keyring.openToken(text, purpose: purpose) else { return nil }
        var fields = FieldReader(bytes)
        guard let id = try? fields.uuid(), let createdAt = try? fields.date() else { return nil }
        return (ID(id), now > createdAt.addingTimeInterval(PersonDevice.lifetime + leeway))
    }
}
