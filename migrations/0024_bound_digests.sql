-- Digests of API keys and client secrets that belong to their rows.

-- HMAC over the row's owner, its ID and its digest: a row that was moved or copied authenticates nobody. Existing rows get one
-- at the first start of this version. Servers of the version before write rows without one. Such a row is bound within a minute, and a
-- day after the first start it authenticates nobody.
ALTER TABLE api_key ADD COLUMN bound_digest bytea;
ALTER TABLE application_secret ADD COLUMN bound_digest bytea;

-- Adds missing bound digests, and changes none: the server's role needs no UPDATE on the column.
CREATE FUNCTION bind_api_keys(owners uuid[], ids uuid[], digests bytea[]) RETURNS void LANGUAGE sql SECURITY DEFINER AS $$
    UPDATE api_key SET bound_digest = added.bound FROM unnest(owners, ids, digests) AS added (owner, key, bound)
    WHERE api_key.tenant_id = added.owner AND api_key.id = added.key AND api_key.bound_digest IS NULL
$$;
CREATE FUNCTION bind_application_secrets(owners uuid[], ids uuid[], digests bytea[]) RETURNS void LANGUAGE sql SECURITY DEFINER AS $$
    UPDATE application_secret SET bound_digest = added.bound FROM unnest(owners, ids, digests) AS added (owner, key, bound)
    WHERE application_secret.tenant_id = added.owner AND application_secret.id = added.key AND application_secret.bound_digest IS NULL
$$;

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['bind_api_keys(uuid[], uuid[], bytea[])', 'bind_application_secrets(uuid[], uuid[], bytea[])'] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', name, current_schema());
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', name);
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO espalier_server', name);
    END LOOP;
END
$$;
