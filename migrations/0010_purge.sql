-- The end of a tenant, as in 0004, with the tables that came since.
CREATE OR REPLACE FUNCTION purge_tenant(purged uuid) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    name text;
BEGIN
    PERFORM FROM tenant WHERE id = purged AND status = 'deleted' AND purge_after <= clock_timestamp() FOR UPDATE;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    -- Removed and counted in one statement: no event is in the one and not in the other.
    WITH removed AS (
        DELETE FROM usage_event WHERE tenant_id = purged
        RETURNING (occurred_at AT TIME ZONE 'UTC')::date AS day, usage_event.kind, usage_event.connection
    )
    INSERT INTO purged_usage (tenant_id, day, kind, connection, quantity)
        SELECT purged, removed.day, removed.kind, removed.connection, count(*) FROM removed GROUP BY 2, 3, 4
        ON CONFLICT (tenant_id, day, kind, connection)
            DO UPDATE SET quantity = purged_usage.quantity + excluded.quantity;
    UPDATE tenant SET status = 'purged', name = slug, connection_id = NULL, purge_after = NULL, status_before_deletion = NULL,
        updated_at = GREATEST(clock_timestamp(), updated_at + interval '1 microsecond') WHERE id = purged;
    -- Every table of tenant data but the two above; what refers to another goes first.
    FOREACH name IN ARRAY ARRAY['team_transfer_user', 'team_transfer', 'session', 'identity', 'tenant_user',
        'application_secret', 'application', 'apple_key', 'connection', 'api_key', 'signing_key', 'idempotency_key', 'outbox', 'webhook_delivery', 'webhook_event',
        'webhook_secret', 'webhook_endpoint', 'single_use', 'revocation', 'backchannel_logout', 'apple_notification', 'apple_revocation',
        'user_deletion', 'audit_event'] LOOP
        EXECUTE format('DELETE FROM %I WHERE tenant_id = $1', name) USING purged;
    END LOOP;
    RETURN true;
END
$$;
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION purge_tenant(uuid) SET search_path = pg_catalog, %I, pg_temp', current_schema());
END
$$;
