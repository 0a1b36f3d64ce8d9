-- The tenant that has lost a host, so that none can add any number of them. Null for a host that was lost before this file. The column has
-- no foreign key, because a purged tenant is gone.
ALTER TABLE lost_host ADD COLUMN lost_by uuid;
-- For the limit of a tenant, and for those that are forgotten.
CREATE INDEX lost_host_by_tenant ON lost_host (lost_by, lost_at);
CREATE INDEX lost_host_age ON lost_host (lost_at);
-- A tenant sees those that it has lost, and can change none.
CREATE POLICY own_lost_hosts ON lost_host FOR SELECT USING (lost_by::text = current_setting('espalier.tenant', true));

CREATE OR REPLACE FUNCTION host_lost() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    INSERT INTO lost_host (host, lost_by, lost_at) VALUES (OLD.host, OLD.tenant_id, clock_timestamp())
        ON CONFLICT (tenant_id, host) DO UPDATE SET lost_by = EXCLUDED.lost_by, lost_at = EXCLUDED.lost_at;
    RETURN NULL;
END
$$;
-- A new body loses the search path. Temporary tables come last in it.
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION host_lost() SET search_path = pg_catalog, %I, pg_temp', current_schema());
END
$$;
