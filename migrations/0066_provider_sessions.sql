-- The sessions that a tenant's provider started end with the provider, and with the domain of the person's address.

-- For the sessions of a provider.
CREATE INDEX person_session_only_tenant ON person_session (only_tenant_id) WHERE only_tenant_id IS NOT NULL AND ended_at IS NULL;

-- Ends the sessions that the provider of a tenant started: all, or those of people with an address in a lost domain. The rows are locked in
-- the order of their IDs, as everywhere.
CREATE FUNCTION end_provider_sessions(provider_of uuid, lost_domain text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE person_session AS s SET ended_at = GREATEST(clock_timestamp(), s.created_at), ended_reason = 'ended'
    FROM (SELECT t.id FROM person_session AS t JOIN person AS p ON p.tenant_id = t.tenant_id AND p.id = t.person_id
        WHERE t.tenant_id = '00000000-0000-0000-0000-000000000000' AND t.only_tenant_id = provider_of AND t.ended_at IS NULL
            AND (lost_domain IS NULL OR right(p.email_key, length(lost_domain) + 1) = '@' || lost_domain)
        ORDER BY t.id FOR NO KEY UPDATE OF t) AS locked
    WHERE s.tenant_id = '00000000-0000-0000-0000-000000000000' AND s.id = locked.id;
END
$$;

-- As in 0063, and the sessions end with the accounts.
CREATE OR REPLACE FUNCTION sso_issuer_lost() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    DELETE FROM person_identity WHERE tenant_id = '00000000-0000-0000-0000-000000000000'
        AND issuer_tenant_id = OLD.tenant_id AND issuer = OLD.issuer;
    PERFORM end_provider_sessions(OLD.tenant_id, NULL);
    RETURN NULL;
END
$$;

CREATE FUNCTION sso_domain_lost() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    -- A sign-in that has seen the proof has locked the provider. Its session ends, too.
    PERFORM FROM sso_connection WHERE tenant_id = OLD.tenant_id FOR UPDATE;
    PERFORM end_provider_sessions(OLD.tenant_id, OLD.domain);
    RETURN NULL;
END
$$;
CREATE TRIGGER sso_domain_deleted AFTER DELETE ON sso_domain FOR EACH ROW WHEN (OLD.state IN ('active', 'failing'))
    EXECUTE FUNCTION sso_domain_lost();
CREATE TRIGGER sso_domain_lost AFTER UPDATE OF state ON sso_domain FOR EACH ROW
    WHEN (OLD.state IN ('active', 'failing') AND NEW.state NOT IN ('active', 'failing')) EXECUTE FUNCTION sso_domain_lost();

-- A change of what a tenant requires of its members, or of the people that it applies to, reaches every process.
CREATE TRIGGER configuration_changed AFTER INSERT OR DELETE OR UPDATE OF issuer, is_required ON sso_connection FOR EACH ROW
    EXECUTE FUNCTION configuration_changed();
CREATE TRIGGER configuration_changed AFTER DELETE OR UPDATE OF state ON sso_domain FOR EACH ROW EXECUTE FUNCTION configuration_changed();
CREATE TRIGGER configuration_changed AFTER INSERT OR DELETE ON person_identity FOR EACH ROW EXECUTE FUNCTION person_changed();
CREATE TRIGGER address_changed AFTER UPDATE OF email ON person FOR EACH ROW WHEN (OLD.email IS DISTINCT FROM NEW.email)
    EXECUTE FUNCTION person_changed();

DO $$
DECLARE
    function text;
BEGIN
    -- Temporary tables come last, or a caller's own table would be in front.
    FOREACH function IN ARRAY ARRAY['end_provider_sessions(uuid, text)', 'sso_issuer_lost()', 'sso_domain_lost()'] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', function, current_schema());
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', function);
    END LOOP;
END
$$;
