-- Rows of the platform that every tenant may read. A tenant's request then needs no sight of other tenants' rows. A transaction without
-- a tenant sees none of them. (A setting of an earlier transaction of the session is empty, not null.)

-- The prices of the plans. A tenant's own prices stay visible only to it.
CREATE POLICY plan_prices ON rate_card FOR SELECT
    USING (plan IS NOT NULL AND COALESCE(current_setting('espalier.tenant', true), '') <> '');

-- Which months of the ledger are archived, without the number of their events.
CREATE POLICY archived_months ON usage_archive FOR SELECT
    USING (COALESCE(current_setting('espalier.tenant', true), '') <> '');
REVOKE SELECT ON usage_archive FROM espalier_server;
GRANT SELECT (tenant_id, month) ON usage_archive TO espalier_server;

-- The facts of the shared connection that a change to it needs. The row itself and its key stay hidden.
CREATE FUNCTION shared_connection() RETURNS TABLE (team_id text, has_current_key boolean) LANGUAGE sql STABLE SECURITY DEFINER AS $$
    SELECT c.team_id, EXISTS (SELECT FROM apple_key k
        WHERE k.tenant_id = c.tenant_id AND k.connection_id = c.id AND k.state = 'current')
    FROM connection c
    WHERE c.tenant_id = '00000000-0000-0000-0000-000000000000' AND COALESCE(current_setting('espalier.tenant', true), '') <> ''
$$;
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION shared_connection() SET search_path = pg_catalog, %I, pg_temp', current_schema());
END
$$;
REVOKE ALL ON FUNCTION shared_connection() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION shared_connection() TO espalier_server;
