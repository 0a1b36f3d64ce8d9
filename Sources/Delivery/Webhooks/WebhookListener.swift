import Access
import Foundation
import Postgres

/// A connection on which a developer's terminal reads the events of a tenant. While there is one, events are kept without an endpoint, too.
struct WebhookListener: Identified {
    static let idPrefix = "listener"

    /// How many connections a caller and a tenant may have at a time.
    static let mostOfCaller = 2
    static let mostOfTenant = 20
    /// How long the row is valid without an extension, so that the row of a killed process keeps no events for long.
    static let lease: TimeInterval = 45

    /// Inserts a listener. It returns no row if a limit is reached. Concurrent requests do not see one another, so the number may exceed a
    /// limit by their number.
    static func insert(_ id: ID<WebhookListener>, for actor: String, of tenant: ID<Tenant>, at now: Date) -> SQL {
        """
        INSERT INTO webhook_listener (tenant_id, id, actor, created_at, expires_at)
        SELECT \(tenant), \(id), \(actor), \(now), \(now.addingTimeInterval(lease))
        FROM (SELECT count(*) AS all_open, count(*) FILTER (WHERE actor = \(actor)) AS own FROM webhook_listener
            WHERE tenant_id = \(tenant) AND expires_at > \(now)) AS open
        WHERE open.all_open < \(mostOfTenant) AND open.own < \(mostOfCaller)
        RETURNING id
        """
    }

    static func extend(_ id: ID<WebhookListener>, of tenant: ID<Tenant>, at now: Date) -> SQL {
        """
        UPDATE webhook_listener SET expires_at = GREATEST(expires_at, \(now.addingTimeInterval(lease)))
        WHERE tenant_id = \(tenant) AND id = \(id)
        """
    }

    static func delete(_ id: ID<WebhookListener>, of tenant: ID<Tenant>) -> SQL {
        "DELETE FROM webhook_listener WHERE tenant_id = \(tenant) AND id = \(id)"
    }

    /// Deletes the rows of connections that ended without a trace.
    static func forgetOld(of tenant: ID<Tenant>, at now: Date) -> SQL {
        "DELETE FROM webhook_listener WHERE tenant_id = \(tenant) AND expires_at < \(now)"
    }

    /// Deletes such rows of all tenants.
    static func forgetOld(before now: Date, upTo batch: Int) -> SQL {
        """
        DELETE FROM webhook_listener AS l USING (
            SELECT tenant_id, id FROM webhook_listener WHERE expires_at < \(now) ORDER BY expires_at LIMIT \(batch)) AS old
        WHERE l.tenant_id = old.tenant_id AND l.id = old.id AND l.expires_at < \(now)
        """
    }
}
