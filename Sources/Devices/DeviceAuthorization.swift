import APIs
import Access
import Foundation
import Postgres
import Sessions
import Tenancy

/// A device's request to sign a user in, from its start until the codes expire.
struct DeviceAuthorization: Identified, Sendable {
    static let idPrefix = "deviceauthorization"

    enum State: String, SQLValue {
        /// The user has not decided yet.
        case pending
        case refused
        case approved
        /// The device has received its tokens.
        case redeemed
    }

    /// How long both codes are valid.
    static let lifetime: TimeInterval = 600
    /// How long a device waits between two polls at first, in seconds, and how much longer after each early one (RFC 8628, section 3.5).
    static let interval = 5
    static let longestInterval = 60
    /// How many seconds a poll may come early, because the network delays some of them more than others.
    static let leeway: TimeInterval = 1

    let id: ID<DeviceAuthorization>
    let application: ID<Application>
    let scope: String
    let apis: [ID<API>]
    /// The device that asked. For a confidential application, it is the application's server.
    let device: Device
    let state: State
    let createdAt: Date
    let expiresAt: Date
    /// The login that the user approved.
    let login: ID<LoginID>?

    static let columns: SQL = "id, application_id, scope, api_ids, user_agent, address, state, created_at, expires_at, login_id"

    init(_ row: Row) throws {
        id = try row.get("id")
        application = try row.get("application_id")
        scope = try row.get("scope")
        apis = try row.get("api_ids", as: [UUID]?.self)?.map(ID.init) ?? []
        device = Device(userAgent: try row.get("user_agent"), address: try row.get("address"))
        state = try row.get("state")
        createdAt = try row.get("created_at")
        expiresAt = try row.get("expires_at")
        login = try row.get("login_id")
    }

    /// Whether the user can still decide.
    func isOpen(at now: Date) -> Bool { state == .pending && now < expiresAt }

    /// Whether a user has allowed the device.
    var isApproved: Bool { state == .approved || state == .redeemed }
}

// MARK: The device

extension DeviceAuthorization {
    /// How many authorizations of the last 10 minutes an application may have, and how many those of a tenant may come from one network
    /// without authentication. Otherwise anyone who knows a client ID could fill the table.
    static let mostOfApplication = 10_000
    static let mostOfNetwork = 100

    /// The constraint that refuses a user code that is taken.
    static let isTaken = "device_authorization_user_code"

    /// Inserts an authorization. It returns no row if a limit is reached. The schema refuses it (`isTaken`) if the user code is taken.
    /// Concurrent requests do not see one another, so the number may exceed a limit by their number.
    /// - Parameter network: the network of an unauthenticated request.
    static func insert(
        _ id: ID<DeviceAuthorization>, userCode digest: [UInt8], scope: String, apis: [ID<API>], _ device: Device, network: String?,
        of application: ID<Application>, _ tenant: ID<Tenant>, at now: Date
    ) -> SQL {
        let apis: [UUID]? = apis.isEmpty ? nil : apis.map(\.uuid)
        let expiry = now.addingTimeInterval(lifetime)
        return """
            INSERT INTO device_authorization (tenant_id, id, application_id, user_code_digest, scope, api_ids, user_agent, address, network,
                state, interval_seconds, created_at, expires_at)
            SELECT \(tenant), \(id), \(application), \(digest), \(scope), \(apis), \(device.userAgent), \(device.address), \(network),
                'pending', \(interval), \(now), \(expiry)
            WHERE (SELECT count(*) FROM (
                    SELECT FROM device_authorization
                    WHERE tenant_id = \(tenant) AND application_id = \(application) AND expires_at > \(now)
                    LIMIT \(mostOfApplication)) AS open) < \(mostOfApplication)
                AND (\(network) IS NULL OR (SELECT count(*) FROM (
                    SELECT FROM device_authorization WHERE tenant_id = \(tenant) AND network = \(network) AND expires_at > \(now)
                    LIMIT \(mostOfNetwork)) AS near) < \(mostOfNetwork))
            RETURNING id
            """
    }

    /// Records a poll, and returns the authorization with `is_early`. The row is locked, so of two polls at once, one is early. Each early
    /// poll makes the interval longer, in all processes.
    static func poll(_ id: ID<DeviceAuthorization>, of tenant: ID<Tenant>, at now: Date) -> SQL {
        """
        WITH locked AS (
            SELECT tenant_id, id, COALESCE(polled_at + make_interval(secs => interval_seconds - \(leeway)) > \(now), false) AS is_early
            FROM device_authorization WHERE tenant_id = \(tenant) AND id = \(id) FOR UPDATE)
        UPDATE device_authorization AS d SET
            interval_seconds = CASE WHEN is_early THEN LEAST(interval_seconds + \(interval), \(longestInterval)) ELSE interval_seconds END,
            polled_at = CASE WHEN is_early THEN polled_at ELSE \(now) END
        FROM locked WHERE d.tenant_id = locked.tenant_id AND d.id = locked.id
        RETURNING d.id, application_id, scope, api_ids, user_agent, address, state, created_at, expires_at, login_id, approved_login,
            is_early
        """
    }

    /// Uses up an approval, in the transaction that starts the session.
    static func redeem(_ id: ID<DeviceAuthorization>, of tenant: ID<Tenant>) -> SQL {
        """
        UPDATE device_authorization SET state = 'redeemed' WHERE tenant_id = \(tenant) AND id = \(id) AND state = 'approved'
        """
    }
}

// MARK: The user

extension DeviceAuthorization {
    /// Finds an open authorization by its user code.
    static func find(_ userCode: [[UInt8]], of tenant: ID<Tenant>, at now: Date) -> SQL {
        """
        SELECT \(part: columns) FROM device_authorization
        WHERE tenant_id = \(tenant) AND user_code_digest = ANY(\(userCode)) AND state = 'pending' AND expires_at > \(now)
        """
    }

    static func find(_ id: ID<DeviceAuthorization>, of tenant: ID<Tenant>) -> SQL {
        "SELECT \(part: columns) FROM device_authorization WHERE tenant_id = \(tenant) AND id = \(id)"
    }

    /// Stores the user's approval. The same approval again changes nothing. It returns no row if the user code has expired, or if someone
    /// has decided otherwise.
    /// - Parameter sealed: the login, sealed for this authorization.
    static func approve(_ id: ID<DeviceAuthorization>, _ login: ID<LoginID>, sealed: String, of tenant: ID<Tenant>, at now: Date) -> SQL {
        """
        UPDATE device_authorization SET state = CASE state WHEN 'pending' THEN 'approved' ELSE state END, login_id = \(login),
            approved_login = COALESCE(approved_login, \(sealed))
        WHERE tenant_id = \(tenant) AND id = \(id) AND (state = 'pending' OR login_id = \(login)) AND expires_at > \(now)
        RETURNING id
        """
    }

    static func refuse(_ id: ID<DeviceAuthorization>, of tenant: ID<Tenant>, at now: Date) -> SQL {
        """
        UPDATE device_authorization SET state = 'refused'
        WHERE tenant_id = \(tenant) AND id = \(id) AND state = 'pending' AND expires_at > \(now)
        RETURNING id
        """
    }

    /// Deletes the authorizations whose codes have expired.
    static func forgetOld(in database: PlatformDatabase, at now: Date) async throws {
        try await database.remove { batch in
            """
            DELETE FROM device_authorization AS d USING (
                SELECT tenant_id, id FROM device_authorization WHERE expires_at < \(now) ORDER BY expires_at LIMIT \(batch)) AS old
            WHERE d.tenant_id = old.tenant_id AND d.id = old.id
            """
        }
    }
}
